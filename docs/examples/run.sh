#!/usr/bin/env bash
# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0
#
# Runs the examples of all languages together on one Broadcast subscription of a real broker with the plugin, and checks
# that every consumer receives every message, once and in order. See README.md beside it, or --help.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
program=run.sh
# shellcheck source=benchmark/launch.sh
. benchmark/launch.sh

usage() {
  cat <<'TEXT'
Usage: docs/examples/run.sh [--each N] [--messages N] [--size BYTES] [--pulsar VERSION] [--skip-missing]

  --each N         consumers of each language (default: 3)
  --messages N     messages to publish (default: 200)
  --size BYTES     size of a message (default: 10240)
  --pulsar VERSION of Pulsar, such as 4.0.8 (default: the distribution that the tests run)
  --skip-missing   leave out languages whose tools are not installed, and say so; an error otherwise

Needs JDK 17 and Maven; Python 3 with venv; Go 1.18 or newer; Rust 1.85 or newer with cargo, and protoc. Node.js and C++
run where their client libraries are to be had, and are left out otherwise: npm's pulsar-client, whose library comes from
archive.apache.org, and libpulsar with its headers, where the compiler finds them.
Exit code: 0 when every consumer received every message once and in order.
TEXT
}

# The value of an option, which has to be a whole number of 1 or more.
number() {
  [[ ${2:-} =~ ^[1-9][0-9]{0,8}$ ]] || fail "$1 is '${2:-}'; allowed: a whole number, 1 or more"
  echo "$2"
}

each=3
messages=200
size=10240
version=
skip_missing=false
while [ $# -gt 0 ]; do
  case $1 in
    --each) each=$(number "$@"); shift ;;
    --messages) messages=$(number "$@"); shift ;;
    --size) size=$(number "$@"); shift ;;
    --pulsar)
      [ -n "${2:-}" ] || fail "--pulsar needs a version, such as 4.0.8"
      version=$2
      shift
      ;;
    --skip-missing) skip_missing=true ;;
    -h | --help) usage && exit ;;
    *) usage >&2 && fail "unknown option $1" ;;
  esac
  shift
done

readonly examples=docs/examples
readonly built=$examples/target
readonly topic=persistent://public/default/examples
readonly subscription=alerts

# --- What is there ---------------------------------------------------------------------------------------------------

check_tools

languages=(java)
skipped=()

# Takes a language in, or out when what it needs ($2) is missing.
take() {
  if [ -n "$2" ] && ! $skip_missing; then
    fail "$2; install it, or leave $1 out with --skip-missing"
  fi
  take_if_there "$@"
}

# The same for a language whose client no package registry has whole: never an error.
take_if_there() {
  if [ -z "$2" ]; then
    languages+=("$1")
  else
    skipped+=("$1")
    echo "SKIPPED $1: $2"
  fi
}

missing_for_python() {
  if ! command -v python3 >/dev/null; then
    echo "python3 not found"
  elif ! python3 -c 'import venv, ensurepip' 2>/dev/null; then
    echo "python3 has no venv module (Debian: python3-venv)"
  fi
}

missing_for_go() {
  command -v go >/dev/null || echo "go not found"
}

missing_for_rust() {
  local version
  if ! command -v cargo >/dev/null || ! version=$(rustc --version); then
    echo "cargo or rustc not found"
  elif [[ ! $version =~ ^rustc\ 1\.([0-9]+)\. || ${BASH_REMATCH[1]} -lt 85 ]]; then
    echo "$version found; 1.85 or newer is needed"
  elif [ -z "${PROTOC:-}" ] && ! command -v protoc >/dev/null; then
    echo "protoc not found (Debian: protobuf-compiler)"
  fi
}

has_node_client() {
  (cd $examples/node && node -e 'require("pulsar-client")') 2>/dev/null
}

# Without the package's fallback, a build that cannot succeed without libpulsar.
get_node_client() {
  mkdir -p $built/node &&
    cp $examples/node/package.json $built/node &&
    (cd $built/node && timeout 60 npm install --silent --no-package-lock --ignore-scripts) &&
    (cd $built/node/node_modules/pulsar-client && timeout 60 ../.bin/node-pre-gyp install && node GenCertFile.js)
} >/dev/null 2>&1

missing_for_node() {
  if ! command -v npm >/dev/null; then
    echo "npm not found"
  elif ! has_node_client && ! { get_node_client && has_node_client; }; then
    echo "the library of npm's pulsar-client cannot be fetched from archive.apache.org"
  fi
}

missing_for_cpp() {
  if ! command -v "$cxx" >/dev/null; then
    echo "$cxx not found"
  elif ! compile_cpp 2>/dev/null; then
    echo "libpulsar is not installed"
  fi
}

compile_cpp() {
  mkdir -p $built && "$cxx" -std=c++17 -o $built/cpp-example $examples/cpp/receive.cc -lpulsar
}

export NODE_PATH=$PWD/$built/node/node_modules
cxx=${CXX:-c++}

take python "$(missing_for_python)"
take go "$(missing_for_go)"
take rust "$(missing_for_rust)"
take_if_there node "$(missing_for_node)"
take_if_there cpp "$(missing_for_cpp)"

# --- Build -----------------------------------------------------------------------------------------------------------

build_benchmark
get_distribution "$version"
find_nar

build_java() {
  mvn -q -B -f $examples/java process-classes
}

build_python() {
  if ! cmp -s $examples/python/requirements.txt $built/venv/installed.txt; then
    rm -rf $built/venv
    python3 -m venv $built/venv
    $built/venv/bin/pip install -q -r $examples/python/requirements.txt
    cp $examples/python/requirements.txt $built/venv/installed.txt
  fi
}

build_go() {
  (cd $examples/go && go build -buildvcs=false -o ../target/broadcast-example .)
}

build_rust() {
  (cd $examples/rust && cargo build --quiet --locked --target-dir ../target/rust)
}

build_node() {
  :
}

# Done, to see whether it can be.
build_cpp() {
  :
}

mkdir -p $built
for language in "${languages[@]}"; do
  echo "Building the $language example ..."
  "build_$language"
done

# --- Run -------------------------------------------------------------------------------------------------------------

work=$(mktemp -d "${TMPDIR:-/tmp}/pulsar-broadcast-examples-XXXXXX")
pids=()

clean_up() {
  local code=$? pid
  trap '' INT TERM
  for pid in ${pids[@]+"${pids[@]}"}; do
    kill "$pid" 2>/dev/null || true
  done
  wait
  if [ "$code" -ne 0 ]; then
    rm -rf $built/failed
    cp -r "$work" $built/failed
    echo "Logs: $built/failed" >&2
  fi
  rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

java_example=(
  "$java_command" -Xmx128m -Dorg.slf4j.simpleLogger.defaultLogLevel=warn
  -cp "$examples/java/target/classes:$examples/java/target/lib/*"
)

# Each of these becomes the consumer, so that a signal to it reaches the consumer.

consume_java() {
  exec "${java_example[@]}" Receive "$@"
}

consume_python() {
  exec $built/venv/bin/python $examples/python/receive.py "$@"
}

consume_go() {
  exec $built/broadcast-example "$@"
}

consume_rust() {
  exec $built/rust/debug/broadcast-example "$@"
}

consume_node() {
  exec node $examples/node/receive.js "$@"
}

consume_cpp() {
  exec $built/cpp-example "$@"
}

# await PID LOG WHAT COMMAND...: waits until the command succeeds; fails with WHAT and the end of the log when that takes
# longer than 60 s, or the process ends first.
await() {
  local pid=$1 log=$2 what=$3 deadline=$((SECONDS + 60))
  shift 3
  until "$@"; do
    if [ $SECONDS -ge $deadline ] || ! kill -0 "$pid" 2>/dev/null; then
      "$@" && return
      tail -n 10 "$log" >&2
      fail "$what"
    fi
    sleep 0.1
  done
}

# refuses VALUE COMMAND...: fails unless the example refuses the value as its last argument, and says so.
refuses() {
  local said code=0
  said=$("${@:2}" "$1" 2>&1) || code=$?
  [[ $code -eq 2 && $said == *" is $1; allowed: a whole number, 0 or more" ]] ||
    fail "'$1' is not refused, but exit code $code, by ${*:2}: $said"
}

stats() {
  PULSAR_LOG_DIR=$work "$pulsar_home/bin/pulsar-admin" --admin-url "$admin_url" topics stats "$topic" >"$work/stats.json"
}

no_backlog() {
  stats && grep -q '"msgBacklog" : 0' "$work/stats.json"
}

echo "Starting $(basename "$pulsar_home") with $(basename "$nar") ..."
"$java_command" -cp tests/process/target/classes:benchmark/config/target/classes $examples/StartBroker.java \
  "$pulsar_home" "$nar" "$work" "$work/urls" >"$work/broker-start.log" 2>&1 &
broker=$!
pids+=("$broker")
for value in ten -5; do
  for language in "${languages[@]}"; do
    refuses "$value" "consume_$language" pulsar://localhost:6650 "$topic" $subscription "$language"
  done
  refuses "$value" "${java_example[@]}" Publish pulsar://localhost:6650 "$topic" "$messages"
done
echo "Every example refuses a number that is none, while the broker starts"
await "$broker" "$work/broker-start.log" "the broker did not start" test -f "$work/urls"
read -r service_url admin_url <"$work/urls"

names=()
consumers=()
for language in "${languages[@]}"; do
  for ((i = 1; i <= each; i++)); do
    name=$language-$i
    "consume_$language" "$service_url" "$topic" $subscription "$name" "$messages" >"$work/$name.log" 2>&1 &
    names+=("$name")
    consumers+=("$!")
    pids+=("$!")
  done
done
for ((i = 0; i < ${#names[@]}; i++)); do
  log=$work/${names[i]}.log
  await "${consumers[i]}" "$log" "${names[i]} did not subscribe" grep -q '^subscribed' "$log"
done

stats
grep -q '"type" : "Broadcast"' "$work/stats.json" || fail "the subscription is not of type Broadcast"
connected=$(grep -c '"consumerName"' "$work/stats.json")
[ "$connected" -eq ${#names[@]} ] || fail "$connected consumers on the subscription, not ${#names[@]}"
echo "$connected consumers on the one subscription '$subscription', of type Broadcast: $each each of ${languages[*]}"

"${java_example[@]}" Publish "$service_url" "$topic" "$messages" "$size"

failed=0
for ((i = 0; i < ${#names[@]}; i++)); do
  if wait "${consumers[i]}"; then
    echo "${names[i]}: $(tail -n 1 "$work/${names[i]}.log")"
  else
    failed=$((failed + 1))
    echo "${names[i]}: FAILED: $(tail -n 1 "$work/${names[i]}.log")" >&2
  fi
done
[ "$failed" -eq 0 ] || fail "$failed of ${#names[@]} consumers failed"

await "$broker" "$work/stats.json" "the subscription has a backlog" no_backlog
echo "Every one of ${#names[@]} consumers received $messages messages once and in order; the backlog is 0"
if [ ${#skipped[@]} -gt 0 ]; then
  echo "SKIPPED: ${skipped[*]}"
fi
