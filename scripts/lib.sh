# Functions shared by the scripts; sourced, not run. Sets ROOT and changes to it.
set -euo pipefail
ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
cd -- "$ROOT"
# Objects in the compiler cache serve other clones too: what is named in them is relative to the clone.
export CCACHE_BASEDIR=$ROOT CCACHE_NOHASHDIR=1

step() { printf '\n== %s\n' "$*"; }
note() { printf '   %s\n' "$*"; }
die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# Runs the command as root: directly if we are root, else by sudo.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "'$*' needs root: run this script as root, or install sudo"
  fi
}

# Number of compiler processes: one per core, but at least 1.5 GB of memory for each.
jobs() {
  local cores memory_gb
  cores=$(nproc)
  memory_gb=$(awk '/MemAvailable/ {print int($2 / 1048576)}' /proc/meminfo)
  local by_memory=$((memory_gb * 2 / 3))
  [ "$by_memory" -ge 1 ] || by_memory=1
  echo $((cores < by_memory ? cores : by_memory))
}

# progress LOG COMMAND...: all output to LOG, a line now and then to the screen; the command's own result.
progress() {
  local log=$1
  shift
  { "$@" 2>&1 || echo "$?" >"$log.failed"; } | tee "$log" | awk -v terminal="$([ -t 1 ] && echo 1 || echo 0)" '
    { line = substr($0, 1, 100) }
    terminal == 1 { printf "\r\033[K   %s", line; fflush() }
    terminal == 0 && NR % 25 == 0 { print "   " line; fflush() }
    END { if (terminal == 1) printf "\r\033[K" }'
  if [ -e "$log.failed" ]; then
    rm -f "$log.failed"
    return 1
  fi
}

is_installed() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q '^install ok installed$'; }
apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 install -y --no-install-recommends "$@" </dev/null
}

# install_debian PACKAGE...: those that are missing; reads the package lists only if it does not work without.
install_debian() {
  if ! command -v apt-get >/dev/null; then
    note "there is no apt-get: equivalents of these packages are assumed to be installed: $*"
    return
  fi
  local missing=() package log=$ROOT/.deps/apt.log
  for package in "$@"; do is_installed "$package" || missing+=("$package"); done
  if [ ${#missing[@]} -eq 0 ]; then
    note "all there"
    return
  fi
  note "installing ${missing[*]}"
  if ! progress "$log" apt_install "${missing[@]}"; then
    note "reading the package lists first"
    progress "$log" as_root apt-get update || note "apt-get update had errors: $(grep -m1 '^[EW]:' "$log")"
    progress "$log" apt_install "${missing[@]}" ||
      die "apt-get could not install ${missing[*]}: $(grep -m1 '^E:' "$log" || echo "see $log")"
  fi
}

# Sets ROS_STATE to full, partial or none, ROS_NOTE to a sentence about it, and ROS_PREFIX to where it is. Of several
# in /opt/ros the last complete one, unless ROS_DISTRO names one.
find_ros() {
  local prefix missing
  local -a candidates=(/opt/ros/*/)
  [ -z "${ROS_DISTRO:-}" ] || [ ! -d "/opt/ros/$ROS_DISTRO" ] || candidates=("/opt/ros/$ROS_DISTRO/")
  ROS_STATE=none
  ROS_NOTE="ROS 2 was not found (ROS_DISTRO is not set, nothing in /opt/ros)"
  for prefix in "${candidates[@]%/}"; do
    [ -d "$prefix" ] || continue
    missing=$(missing_in_ros "$prefix")
    if [ -z "$missing" ]; then
      ROS_STATE=full
      ROS_NOTE="ROS 2 was found in $prefix"
    elif [ "$ROS_STATE" != full ]; then
      ROS_STATE=partial
      ROS_NOTE="ROS 2 was not fully found: $prefix lacks$missing"
    else
      continue
    fi
    ROS_PREFIX=$prefix
  done
}

# missing_in_ros PREFIX: what the ROS packages need and PREFIX does not have, each after a space.
missing_in_ros() {
  local package
  for package in rclcpp rclcpp_lifecycle controller_interface hardware_interface generate_parameter_library \
    controller_manager joint_trajectory_controller; do
    [ -e "$1/share/$package/package.xml" ] || printf ' %s' "$package"
  done
  [ -e "$1/setup.bash" ] || printf ' setup.bash'
}

# source_ros: the environment of the ROS 2 that find_ros has found.
source_ros() {
  set +u # its own scripts use what is not set
  # shellcheck disable=SC1091
  . "$ROS_PREFIX/setup.bash"
  set -u
}

# run_ctest BUILD [ctest arguments]: the tests, then 'N passed, N failed' as the last line; fails if one failed. That no
# test fits the arguments is no failure: there may be another build where one does.
run_ctest() {
  local build=$1 status=0 summary failed total
  shift
  if ctest --test-dir "$build" -N "$@" | grep -q '^Total Tests: 0$'; then
    echo "0 passed, 0 failed" | tee "$build/summary"
    return
  fi
  ctest --test-dir "$build" --output-on-failure --parallel "$(nproc)" "$@" 2>&1 | tee "$build/test.log" || status=$?
  summary=$(grep -E '^[0-9]+% tests passed' "$build/test.log") || die "ctest ran no tests"
  failed=$(echo "$summary" | sed -E 's/.* ([0-9]+) tests? failed.*/\1/')
  total=$(echo "$summary" | sed -E 's/.* out of ([0-9]+).*/\1/')
  echo "$((total - failed)) passed, $failed failed" | tee "$build/summary"
  return "$status"
}
