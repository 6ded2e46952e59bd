# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0

config {
  call_module_type = "local"
}

plugin "terraform" {
  enabled = true
  preset  = "all"
}

# Version and source are left out: .ci/deploy builds the plugin from .ci/tflint and names its folder in TFLINT_PLUGIN_DIR.
plugin "aws" {
  enabled = true
}
