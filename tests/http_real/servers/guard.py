"""Runs a server until its owner is gone: when stdin closes, everything in this process group is killed.

usage: guard.py PROGRAM [ARGUMENT...]
"""

import os
import signal
import subprocess
import sys
import threading


def watch() -> None:
    while os.read(0, 4096):
        pass
    os.killpg(0, signal.SIGKILL)


threading.Thread(target=watch, daemon=True).start()
sys.exit(subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT).returncode)
