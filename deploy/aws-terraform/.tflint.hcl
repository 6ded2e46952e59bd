# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0

config {
  call_module_type = "local"
}

plugin "terraform" {
  enabled = true
  preset  = "all"
}

# Variables and derived values are apart from what needs the AWS provider, so that they can be tested without it.
rule "terraform_standard_module_structure" {
  enabled = false
}

# Version and source are left out: .ci/deploy builds the plugin from .ci/tflint and names its folder in TFLINT_PLUGIN_DIR.
plugin "aws" {
  enabled = true
}
