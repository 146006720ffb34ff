# Sourced by the other scripts: sets paths, and defines how they print messages.
# shellcheck shell=bash

root=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
cache=${TAILRENDER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tailrender}

# The ccache folder is outside the clone, so that a second clone builds in seconds.
export CCACHE_DIR=${CCACHE_DIR:-$cache/ccache}
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-2G}
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime

say() { printf '%s\n' "$*" >&2; }
tell() { say "${0##*/}: $*"; }
die() {
  tell "$*"
  exit 1
}
usage_error() {
  tell "$*; see --help"
  exit 2
}

# Prints the comment at the head of the calling script.
show_help() { sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$0"; }
