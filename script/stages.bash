# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Stages of a script: each announced, timed, and quiet unless it fails. To be sourced.

stage_log=$(mktemp)
trap 'rm -f "$stage_log"' EXIT

# stage <name> <command...>: runs the command with its output kept back. On failure prints the end
# of that output and leaves the script with the command's status.
stage() {
  local name=$1 started=$SECONDS status=0
  shift
  printf '%-52s ' "$name"
  "$@" >"$stage_log" 2>&1 || status=$?
  if (( status != 0 )); then
    printf 'failed after %d s\n' $(( SECONDS - started ))
    tail -n 200 "$stage_log" >&2
    echo "${0##*/}: '$*' failed with status $status; the end of its output is above" >&2
    exit "$status"
  fi
  printf '%4d s\n' $(( SECONDS - started ))
}

# build <preset> [target...]: configures and builds a preset, or some targets of it, on every CPU.
build() {
  local preset=$1 targets=()
  shift
  if (( $# > 0 )); then targets=(--target "$@"); fi
  cmake --preset "$preset" &&
    cmake --build --preset "$preset" "${targets[@]}" --parallel "$(nproc)"
}
