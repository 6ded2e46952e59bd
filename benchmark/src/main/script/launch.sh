# shellcheck shell=bash
# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0
#
# What the scripts in the root folder share: builds what is not up to date, gets a Pulsar distribution through Maven,
# and starts a main class of the benchmark. To be sourced, with $root set. Needs JDK 17 or newer and Maven.

fail() {
  echo "$(basename "$0"): $*" >&2
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

up_to_date() {
  [ -f "$stamp" ] || return 1
  local module newer
  for module in pulsar-process broker-plugin benchmark; do
    newer=$(find "$root/pom.xml" "$root/$module/pom.xml" "$root/$module/src" -newer "$stamp" |
      head -n 1) || return 1
    [ -z "$newer" ] || return 1
  done
}

build() {
  stamp=$root/benchmark/target/launch-built
  if ! up_to_date; then
    echo "Building the plugin and the benchmark (mvn package, when sources have changed) ..." >&2
    rm -f "$stamp"
    (cd "$root" && mvn -q -B -pl broker-plugin,benchmark -am -DskipTests package)
    touch "$stamp"
  fi
}

get_distribution() {
  local version folder
  version=$(sed -n 's:.*<pulsar.distribution.version>\(.*\)</.*:\1:p' "$root/pom.xml")
  folder=$root/benchmark/target/pulsar-distribution
  pulsar_home=$folder/apache-pulsar-$version
  if [ ! -f "$folder/complete-$version" ]; then
    echo "Getting Pulsar $version through Maven (217 MB, once) ..." >&2
    (cd "$root" && mvn -q -B -N org.apache.maven.plugins:maven-dependency-plugin:3.8.0:unpack \
      "-Dartifact=org.apache.pulsar:pulsar-server-distribution:$version:tar.gz:bin" \
      "-DoutputDirectory=$folder")
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

# Whether no argument says that a running broker is used, or that only the help is wanted.
needs_own_broker() {
  local argument
  for argument in "$@"; do
    case $argument in
      -h | --help | --service-url | --service-url=*) return 1 ;;
    esac
  done
}

# Sets own_broker to the options that name the distribution and the plugin.
prepare_broker() {
  get_distribution
  find_nar
  own_broker=(--pulsar-home "$pulsar_home" --nar "$nar")
}

# launch JAVA_OPTIONS MAIN_CLASS ARGUMENT...: exec, so that signals such as Ctrl-C go to the JVM, which cleans up.
launch() {
  local java_options=$1
  shift
  local terminal=false
  if [ -t 1 ]; then
    terminal=true
  fi
  # shellcheck disable=SC2086
  exec "$java_command" -XX:+UseParallelGC --add-opens=java.base/java.nio=ALL-UNNAMED \
    --add-opens=java.base/jdk.internal.misc=ALL-UNNAMED -Dio.netty.tryReflectionSetAccessible=true \
    $java_options "-Ddemo.terminal=$terminal" \
    -cp "$root/benchmark/target/classes:$root/benchmark/target/lib/*" "$@"
}
