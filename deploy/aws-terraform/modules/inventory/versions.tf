# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0

# No provider on purpose: "terraform test" exercises this module without an AWS account.
terraform {
  required_version = "~> 1.11"
}
