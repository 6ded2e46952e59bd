# shellcheck shell=bash
# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0
#
# Sourced by the scripts here: how they install what they find missing.

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  else
    sudo -n "$@"
  fi
}

# install_packages PACKAGE...: from Debian. False where that cannot be done, and says why.
install_packages() {
  if ! command -v apt-get >/dev/null; then
    echo "missing, and there is no apt-get to install them: $*" >&2
    return 1
  fi
  as_root apt-get -qq update &&
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@" >/dev/null
}
