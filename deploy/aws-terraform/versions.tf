# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0

terraform {
  required_version = "~> 1.11"

  required_providers {
    # Exact, because no lock file is kept here: "terraform init" writes one; keep it with your results.
    aws = {
      source  = "hashicorp/aws"
      version = "6.52.0"
    }
  }
}
