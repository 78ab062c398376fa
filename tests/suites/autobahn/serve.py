"""Starts the fuzzing server of the Autobahn test suite from a folder that pip installed it into.

usage: python2.7 serve.py FOLDER SPEC

The suite runs on Python 2.7 alone. A folder instead of an environment needs no tool besides pip; its .pth files, which a
namespace package of a dependency has, count only once it is added as a site.
"""

import site
import sys

site.addsitedir(sys.argv[1])
sys.argv = ["wstest", "--mode", "fuzzingserver", "--spec", sys.argv[2], "--webport", "0"]

from autobahntestsuite.wstest import run  # noqa: E402

run()
