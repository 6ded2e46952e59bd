# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0

terraform {
  required_version = "~> 1.11"

  required_providers {
    # .terraform.lock.hcl has its checksums, for every platform.
    aws = {
      source  = "hashicorp/aws"
      version = "6.52.0"
    }
  }
}
