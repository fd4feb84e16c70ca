# shellcheck shell=bash
# Sourced by packaging/run and packaging/test: makes .venv in the project folder and installs what is missing.
#
#   setup EXTRA      EXTRA is "server" or "test"
#
# A stamp (hash of pyproject.toml, the constraints, this file, the kernels and what builds them, and the folder) makes the
# second start a matter of milliseconds; it is written last, so a setup that was cut off goes on the next time.
# Each step is told in one line; what apt-get, pip and uv say goes to build/setup.log, whose place is told when a step fails.
# POCKETVOICE_PYTHON names the Python to use, POCKETVOICE_TORCH_INDEX an index of CPU builds of torch,
# POCKETVOICE_ALLOW_CUDA=1 accepts a CUDA build.

DEBIAN_PACKAGES="libportaudio2 libasound2-plugins libegl1 libgl1 libxkbcommon0 libxkbcommon-x11-0 libdbus-1-3 libfontconfig1
libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render-util0 libxcb-shape0 libxcb-xinerama0"
IS_USABLE='import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))'
HAS_TORCH='import importlib.metadata as m, torch; m.version("torch"); torch.zeros(1)' # a torn install lacks one of them

say_error() { printf 'pocketvoice: %s\n' "$*" >&2; }

# Tells what is done now, on the screen and in the log.
step() {
  printf 'pocketvoice: %s\n' "$*" >&2
  log_line "$*"
}

log_line() {
  mkdir -p "${SETUP_LOG%/*}"
  printf '\n== %s\n' "$*" >> "$SETUP_LOG"
}

# Runs a command; all that it says goes to the log.
logged() {
  log_line "$*"
  "$@" >> "$SETUP_LOG" 2>&1
}

venv_pip() { PIP_DISABLE_PIP_VERSION_CHECK=1 "$VENV/bin/python" -m pip "$@"; }

# Prints the Python to build on.
find_python() {
  local candidate
  for candidate in ${POCKETVOICE_PYTHON:+"$POCKETVOICE_PYTHON"} python3.11 python3.12 python3.13 python3.14 python3 python; do
    if "$candidate" -c "$IS_USABLE" >/dev/null 2>&1; then
      printf '%s' "$candidate"
      return 0
    fi
  done
  return 1
}

# Installs the given packages where that is possible without asking: as root on Debian. Elsewhere it does nothing.
install_debian_packages() {
  if [ "$(id -u)" != 0 ] || [ ! -f /etc/debian_version ] || ! command -v apt-get >/dev/null; then return 0; fi
  local package missing=""
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  # shellcheck disable=SC2086
  set -- $missing
  step "installing $# Debian packages ($1${2:+, ...})"
  set -- env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
  logged "$@" || { logged apt-get update -qq && logged "$@"; }
}

# The tests of the reference package, unpacked in build/reference: pip has them in its source distribution only.
fetch_reference_tests() {
  local version folder="$ROOT/build/reference"
  version=$(sed -n 's/.*"pocket-tts==\([0-9.]*\)".*/\1/p' "$ROOT/pyproject.toml")
  [ ! -d "$folder/pocket_tts-$version" ] || return 0
  step "fetching the reference package's own tests"
  rm -rf "$folder"
  mkdir -p "$folder/part"
  logged venv_pip download --quiet --no-deps --no-build-isolation --no-binary pocket-tts --dest "$folder/part" \
    "pocket-tts==$version" &&
    logged tar -xzf "$folder/part/pocket_tts-$version.tar.gz" -C "$folder/part" &&
    mv "$folder/part/pocket_tts-$version" "$folder"
}

# A usable .venv: kept if there is one, completed if it was cut off, made anew if its Python has gone.
make_environment() {
  local python
  if "$VENV/bin/python" -c "$IS_USABLE" >/dev/null 2>&1; then
    venv_pip --version >/dev/null 2>&1 || logged "$VENV/bin/python" -m ensurepip
    ! venv_pip --version >/dev/null 2>&1 || return 0
  fi
  if ! python=$(find_python); then
    install_debian_packages python3 python3-venv
    python=$(find_python) || {
      say_error "Python 3.11 or newer (with venv) was not found; install it, or name it in POCKETVOICE_PYTHON."
      return 1
    }
  fi
  step "making a Python environment"
  logged "$python" -m venv --clear "$VENV"
}

# Whether pip would take a torch without CUDA for these arguments; 2 if pip can't tell.
is_cpu_build() {
  local plan
  plan=$(venv_pip install --quiet --dry-run --report - -c "$CONSTRAINTS" "$@" 2>> "$SETUP_LOG") || return 2
  ! printf '%s' "$plan" | grep -qE '"name": "(nvidia-|cuda-|triton)'
}

install_torch() {
  ! "$VENV/bin/python" -c "$HAS_TORCH" >/dev/null 2>&1 || return 0
  step "installing torch, which computes the models (the largest part)"
  local pin
  pin=$(grep '^torch==' "$CONSTRAINTS")
  set -- torch
  if [ "$(uname -s)" = Linux ] && [ "${POCKETVOICE_ALLOW_CUDA:-0}" != 1 ] && ! is_cpu_build "$@"; then
    set -- --extra-index-url "${POCKETVOICE_TORCH_INDEX:-}" "$pin+cpu"
    { [ -n "${POCKETVOICE_TORCH_INDEX:-}" ] && is_cpu_build "$@"; } || {
      say_error "no CPU build of $pin was found, and the CUDA build is several GB. Name an index of CPU builds in" \
        "POCKETVOICE_TORCH_INDEX (or a folder in PIP_FIND_LINKS), or set POCKETVOICE_ALLOW_CUDA=1 to take the CUDA build."
      return 1
    }
  fi
  logged venv_pip install --quiet -c "$CONSTRAINTS" "$@"
}

# uv where it is there, pip otherwise. torch always goes through pip, which can be asked first what it would take.
install_python_packages() {
  install_torch || return 1
  step "installing pocketvoice and the other libraries"
  if command -v uv >/dev/null 2>&1; then
    logged uv pip install --quiet --python "$VENV/bin/python" -c "$CONSTRAINTS" --reinstall-package pocketvoice -e "$ROOT$1" &&
      return 0
    step "uv could not do it; trying pip"
  fi
  logged venv_pip install --quiet -c "$CONSTRAINTS" -e "$ROOT$1" && return 0
  # Without a compiler pip fetches one; where it can't, the kernels are what can be missed.
  step "pip could not do it; trying without the compiled kernels"
  POCKETVOICE_NO_KERNELS=1 logged venv_pip install --quiet -c "$CONSTRAINTS" -e "$ROOT$1"
}

# pip keeps to itself what the build says. The kernels are for x86-64; elsewhere none are missing.
tell_missing_kernels() {
  if [ "$(uname -m)" != x86_64 ] || [ "${POCKETVOICE_NO_KERNELS:-0}" = 1 ]; then return 0; fi
  ! find "$ROOT/pocketvoice/model/kernels" -name 'avx*' | grep -q . || return 0
  say_error "the fast kernels could not be built; speech is computed with torch, more slowly." \
    "\`.venv/bin/python packaging/build_kernels.py\` tells why."
}

# Where the log lies; in CI, where nobody can look into it afterwards, its end as well.
tell_log() {
  say_error "the setup did not finish; run the same command again. What happened is in $SETUP_LOG"
  [ -z "${CI:-}" ] || tail -n 40 "$SETUP_LOG" >&2
}

setup() {
  local extra="${1:+[$1]}" name="${1:-base}" stamp want started=$SECONDS
  ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
  VENV="$ROOT/.venv"
  SETUP_LOG="$ROOT/build/setup.log"
  CONSTRAINTS="$ROOT/packaging/constraints.txt"
  stamp="$VENV/.pocketvoice-$name"
  want="$(cat "$ROOT/pyproject.toml" "$CONSTRAINTS" "$ROOT/packaging/setup.sh" "$ROOT/packaging/build_kernels.py" \
    "$ROOT"/pocketvoice/model/kernels/*.[ch] 2>/dev/null | cksum) $ROOT"
  if [ "$(cat "$stamp" 2>/dev/null)" = "$want" ] && [ -x "$VENV/bin/python" ]; then return 0; fi
  if ! { mkdir -p "$ROOT/build" && : > "$SETUP_LOG"; } 2>/dev/null; then
    say_error "the folder $ROOT can't be written, which the setup needs: put the project somewhere else."
    return 1
  fi
  if [ -e "$stamp" ]; then
    step "bringing .venv up to date"
  else
    step "setting up in .venv, once: about 5 minutes (400 MB to fetch, 1.5 GB of disk)"
  fi
  # shellcheck disable=SC2086
  install_debian_packages $DEBIAN_PACKAGES ||
    say_error "some Debian packages could not be installed; sound or the window may be missing ($SETUP_LOG)."
  if ! { make_environment && install_python_packages "$extra"; }; then
    tell_log
    return 1
  fi
  tell_missing_kernels
  printf '%s' "$want" > "$stamp"
  step "ready after $((SECONDS - started)) s"
}
