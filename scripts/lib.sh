# Shared by the scripts here: what a step needs is installed when it is missing.

say() { printf '%s\n' "$*" >&2; }

# Runs a command as root: directly, or through sudo.
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else say "scripts: root is needed to run: $*"; return 1
  fi
}

apt_ready=
# apt_install PACKAGE...: installs Debian packages, after one update of the lists.
apt_install() {
  if [ -z "$apt_ready" ]; then as_root apt-get update -qq; apt_ready=1; fi
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# need COMMAND PACKAGE: makes sure that a command is there.
need() {
  command -v "$1" >/dev/null && return
  if ! command -v apt-get >/dev/null; then say "scripts: $1 is missing; install it (Debian: package $2)"; return 1; fi
  say "scripts: installing $2"
  apt_install "$2"
}

need_cargo() {
  command -v cargo >/dev/null || { say "scripts: cargo is missing; install Rust 1.95 or later"; return 1; }
  need cc build-essential
}

# Finds a Chromium, and installs one with the system's package manager when there is none.
need_chromium() {
  local name
  for name in google-chrome-stable google-chrome chromium chromium-browser; do
    command -v "$name" >/dev/null && return
  done
  if command -v apt-get >/dev/null; then say "scripts: installing chromium"; apt_install chromium
  elif command -v dnf >/dev/null; then say "scripts: installing chromium"; as_root dnf install -y -q chromium
  elif command -v pacman >/dev/null; then say "scripts: installing chromium"; as_root pacman -S --noconfirm --quiet chromium
  elif command -v brew >/dev/null; then say "scripts: installing chromium"; brew install --quiet --cask chromium
  else say "scripts: no Chromium found and no package manager known; install Chrome or Chromium"; return 1
  fi
}
