# Sourced by packaging/run and packaging/test: makes .venv in the project folder and installs what is missing.
#
#   setup EXTRA      EXTRA is "" or "test"
#
# A stamp (hash of pyproject.toml, the constraints and this file) makes the second start a matter of milliseconds.
# POCKETVOICE_PYTHON names the Python to use, POCKETVOICE_ALLOW_CUDA=1 accepts a CUDA build of torch.

DEBIAN_PACKAGES="libportaudio2 libasound2-plugins libegl1 libgl1 libxkbcommon0 libxkbcommon-x11-0 libdbus-1-3 libfontconfig1
libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render-util0 libxcb-shape0 libxcb-xinerama0"

say_error() { printf 'pocketvoice: %s\n' "$*" >&2; }

find_python() {
  local candidate
  for candidate in ${POCKETVOICE_PYTHON:-} python3.11 python3.12 python3.13 python3.14 python3 python; do
    if "$candidate" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      printf '%s' "$candidate"
      return 0
    fi
  done
  say_error "Python 3.11 or newer (with venv) was not found; install it, or name it in POCKETVOICE_PYTHON."
  return 1
}

install_debian_packages() {
  [ "$(id -u)" = 0 ] && [ -f /etc/debian_version ] && command -v apt-get >/dev/null || return 0
  local package missing=""
  for package in $DEBIAN_PACKAGES "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  echo "pocketvoice: installing Debian packages:$missing" >&2
  export DEBIAN_FRONTEND=noninteractive
  # shellcheck disable=SC2086
  apt-get install -y -qq --no-install-recommends $missing >/dev/null 2>&1 ||
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing >/dev/null; }
}

# The environment's installer: uv where it is there, pip otherwise. torch always goes through pip, which is the one that
# can be pointed at a CPU build.
install_python_packages() {
  local extra="$1" plan
  if ! "$VENV/bin/python" -c 'import torch' 2>/dev/null; then
    if [ "$(uname -s)" = Linux ] && [ "${POCKETVOICE_ALLOW_CUDA:-0}" != 1 ]; then
      plan=$("$VENV/bin/python" -m pip install --quiet --dry-run --report - -c "$ROOT/packaging/constraints.txt" torch) || return 1
      if printf '%s' "$plan" | grep -qE '"name": "(nvidia-|cuda-toolkit|triton)'; then
        say_error "pip would take a CUDA build of torch (several GB). Point pip at a CPU build of torch 2.13.0" \
          "(PIP_EXTRA_INDEX_URL or PIP_FIND_LINKS), or set POCKETVOICE_ALLOW_CUDA=1 to take the CUDA build."
        return 1
      fi
    fi
    "$VENV/bin/python" -m pip install --quiet -c "$ROOT/packaging/constraints.txt" torch || return 1
  fi
  if command -v uv >/dev/null 2>&1; then
    uv pip install --quiet --python "$VENV/bin/python" -c "$ROOT/packaging/constraints.txt" -e "$ROOT$extra"
  else
    "$VENV/bin/python" -m pip install --quiet -c "$ROOT/packaging/constraints.txt" -e "$ROOT$extra"
  fi
}

setup() {
  local extra="${1:+[$1]}" name="${1:-base}" stamp want python
  ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
  VENV="$ROOT/.venv"
  stamp="$VENV/.pocketvoice-$name"
  want=$(cat "$ROOT/pyproject.toml" "$ROOT/packaging/constraints.txt" "$ROOT/packaging/setup.sh" | cksum)
  if [ "$(cat "$stamp" 2>/dev/null)" = "$want $ROOT" ]; then return 0; fi
  python=$(find_python) || return 1
  [ -x "$VENV/bin/python" ] && "$VENV/bin/python" -c '' 2>/dev/null || "$python" -m venv --clear "$VENV" || return 1
  install_debian_packages || say_error "some Debian packages could not be installed; sound or the window may be missing."
  echo "pocketvoice: setting up .venv (once; a few minutes)" >&2
  install_python_packages "$extra" || { say_error "the setup did not finish; run the same command again."; return 1; }
  printf '%s' "$want $ROOT" > "$stamp"
}
