# shellcheck shell=bash
# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0
#
# Sourced after packages.sh and benchmark/launch.sh, with $root and $program set: a Docker engine and an image of Pulsar.
# Where no engine answers it installs and starts one, which end_engine ends; where Pulsar's image cannot be pulled it
# makes one of the distribution. That takes Debian and root. What cannot be done sets $reason and is false.
# An engine that is started here finds the images of the last one.

engine_folder=
dockerd_pid=
child=
reason=

step() {
  echo "--- $* (after $SECONDS s)"
}

end() {
  kill "$1" 2>/dev/null || true
  wait "$1" 2>/dev/null || true
}

# For a trap on EXIT: ends what runs, and the engine.
end_engine() {
  trap '' INT TERM
  [ -z "$child" ] || end "$child"
  [ -z "$dockerd_pid" ] || end "$dockerd_pid"
  [ -z "$engine_folder" ] || rm -rf --one-file-system "$engine_folder" ||
    echo "$program: $engine_folder could not be removed" >&2
}

# Runs a command that a signal to this script ends too.
run() {
  local code=0
  "$@" &
  child=$!
  wait "$child" || code=$?
  child=
  return "$code"
}

skipped() {
  reason=$*
  return 1
}

require() {
  [ "$(id -u)" -eq 0 ] || skipped "it takes root to install $*" || return
  step "Installing $*"
  install_packages "$@" || skipped "$* could not be installed"
}

install_engine() {
  local packages=()
  command -v dockerd >/dev/null || packages+=(docker.io)
  command -v iptables >/dev/null || packages+=(iptables)
  [ ${#packages[@]} -eq 0 ] || require "${packages[@]}" || return
  # Since Debian 13 the client is a package of its own.
  command -v docker >/dev/null || require docker-cli
}

# An engine of our own, whose folder goes when this script ends, but for its images.
start_engine() {
  install_engine || return
  # With systemd, the package has started it.
  ! docker info >/dev/null 2>&1 || return 0
  [ "$(id -u)" -eq 0 ] || skipped "no Docker engine answers, and it takes root to start one" || return
  engine_folder=$(mktemp -d)
  export DOCKER_HOST=unix://$engine_folder/docker.sock
  # In a session of its own: Ctrl-C is to reach it after whoever still removes containers.
  setsid dockerd --host "$DOCKER_HOST" --data-root "$root/benchmark/target/docker-engine" \
    --exec-root "$engine_folder/exec" --pidfile "$engine_folder/pid" >"$engine_folder/log" 2>&1 &
  dockerd_pid=$!
  # Where Testcontainers' own remover runs, the engine would end before that has done its work.
  export TESTCONTAINERS_RYUK_DISABLED=true
  for _ in $(seq 120); do
    if docker info >/dev/null 2>&1; then
      remove_containers
      return
    fi
    kill -0 "$dockerd_pid" 2>/dev/null || break
    sleep 0.5
  done
  tail -n 5 "$engine_folder/log"
  skipped "no Docker engine answers, and dockerd does not start"
}

# What was left in the data of an engine of our own by a run that was ended.
remove_containers() {
  docker ps --all --quiet | xargs --no-run-if-empty docker rm --force --volumes >/dev/null
  docker network prune --force >/dev/null
}

has_image() {
  docker image inspect "$1" >/dev/null 2>&1
}

# find_image VERSION: sets $image to Pulsar's own of that version, where it can be pulled, else to one made here.
find_image() {
  local version=$1
  local own=local/pulsar:$version
  image=apachepulsar/pulsar:$version
  if has_image "$image" || { ! has_image "$own" && timeout 180 docker pull -q "$image" 2>/dev/null; }; then
    return
  fi
  image=$own
  # Where Pulsar's image cannot be pulled, Testcontainers' helper images cannot either; we remove what we start.
  export TESTCONTAINERS_RYUK_DISABLED=true TESTCONTAINERS_HOST_OVERRIDE=localhost
  ! has_image "$image" || return 0
  command -v mmdebstrap >/dev/null || require mmdebstrap || return
  get_distribution "$version"
  step "Making $image"
  run "$root/.ci/container-image" "$pulsar_home" "$image" ||
    skipped "apachepulsar/pulsar:$version cannot be pulled, and $image cannot be made"
}

# version_of PROPERTY: as pom.xml says.
version_of() {
  sed -n "s:.*<$1>\(.*\)</.*:\1:p" "$root/pom.xml"
}

# An engine may answer and yet not be allowed to run anything.
runs_containers() {
  local error
  error=$(docker run --rm "$1" true 2>&1) ||
    skipped "the Docker engine runs no containers: $(grep -m 1 '^docker: ' <<<"$error" || tail -n 1 <<<"$error")"
}
