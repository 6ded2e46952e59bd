# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0

# The inventory of the containers, made by the module that makes the one on AWS.
terraform {
  required_version = "~> 1.11"
}

variable "hosts" {
  description = "Containers by name, as modules/inventory takes machines."
  type        = map(object({ role = string, memory_gib = number, public_ip = string, private_ip = string }))
}

module "inventory" {
  source = "../../modules/inventory"

  hosts   = var.hosts
  quorums = { ensemble = 1, write = 1, ack = 1 }
}

output "inventory" {
  description = "The inventory as YAML."
  value       = module.inventory.yaml
}
