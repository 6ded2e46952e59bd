# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0
#
# What ./bench needs before it starts, and some tests, too; sourced with $root and $program set. Builds what is not up to
# date, gets a Pulsar distribution through Maven, and says what the load generator's JVM needs.

fail() {
  echo "$program: $*" >&2
  exit 3
}

check_tools() {
  java_command=java
  if [ -n "${JAVA_HOME:-}" ]; then
    java_command=$JAVA_HOME/bin/java
  fi
  command -v "$java_command" >/dev/null ||
    fail "no $java_command found; install JDK 17 or newer, or set JAVA_HOME"
  local version
  version=$("$java_command" -version 2>&1 | sed -n 's/.* version "\([^"]*\)".*/\1/p' | head -n 1)
  local major=${version%%[!0-9]*}
  [ "${major:-0}" -ge 17 ] || fail "Java ${version:-of unknown version} found; JDK 17 or newer is needed"
  command -v mvn >/dev/null || fail "mvn not found; install Maven 3.8 or newer"
}

# up_to_date STAMP MODULE...
up_to_date() {
  local stamp=$1
  shift
  [ -f "$stamp" ] || return 1
  local module newer
  for module in "$@"; do
    newer=$(find -H "$root/pom.xml" "$root/$module/pom.xml" "$root/$module/src" -newer "$stamp" |
      head -n 1) || return 1
    [ -z "$newer" ] || return 1
  done
}

# build STAMP MODULES-TO-BUILD MODULE...: the last ones are those whose sources count.
build() {
  local stamp=$1 modules=$2
  shift 2
  if ! up_to_date "$stamp" "$@"; then
    echo "Building $modules (mvn package, when sources have changed) ..." >&2
    rm -f "$stamp"
    # shellcheck disable=SC2086
    (cd "$root" && mvn -q -B ${MAVEN_ARGS:-} -pl "$modules" -am -DskipTests -Dspotless.check.skip package)
    touch "$stamp"
  fi
}

build_benchmark() {
  build "$root/benchmark/target/demo-built" broker-plugin,benchmark tests/process tests/cluster broker-plugin client-ext \
    benchmark/config benchmark
}

# get_distribution [VERSION]: by default of that which the tests run.
get_distribution() {
  local version=${1:-} folder
  [ -n "$version" ] || version=$(sed -n 's:.*<pulsar.distribution.version>\(.*\)</.*:\1:p' "$root/pom.xml")
  folder=$root/benchmark/target/pulsar-distribution
  pulsar_home=$folder/apache-pulsar-$version
  if [ ! -f "$folder/complete-$version" ]; then
    echo "Getting Pulsar $version through Maven (217 MB, once) ..." >&2
    # shellcheck disable=SC2086
    (cd "$root" && mvn -q -B ${MAVEN_ARGS:-} -N org.apache.maven.plugins:maven-dependency-plugin:3.8.0:unpack \
      "-Dartifact=org.apache.pulsar:pulsar-server-distribution:$version:tar.gz:bin" \
      "-DoutputDirectory=$folder") || fail "Maven does not get Pulsar $version; allowed for --pulsar: a released version"
    [ -x "$pulsar_home/bin/pulsar" ] || fail "the distribution has no executable bin/pulsar in $pulsar_home"
    touch "$folder/complete-$version"
  fi
}

find_nar() {
  for nar in "$root"/broker-plugin/target/pulsar-broadcast-broker-*.nar; do
    break
  done
  [ -f "$nar" ] || fail "the build left no NAR in $root/broker-plugin/target"
}

# has_option NAME ARGUMENT...
has_option() {
  local name=$1 argument
  shift
  for argument in "$@"; do
    case $argument in
      "$name" | "$name"=*) return 0 ;;
    esac
  done
  return 1
}

# option NAME ARGUMENT...: prints the value of the last option of that name.
option() {
  local name=$1 value=
  shift
  while [ $# -gt 0 ]; do
    case $1 in
      "$name") value=${2:-} ;;
      "$name"=*) value=${1#*=} ;;
    esac
    shift
  done
  echo "$value"
}

java_options=(-XX:+UseParallelGC --add-opens=java.base/java.nio=ALL-UNNAMED
  --add-opens=java.base/jdk.internal.misc=ALL-UNNAMED -Dio.netty.tryReflectionSetAccessible=true
  "-Dbenchmark.folder=$root/benchmark")
benchmark_class_path="$root/benchmark/target/classes:$root/benchmark/target/lib/*"
terminal=false
if [ -t 1 ]; then
  terminal=true
fi
