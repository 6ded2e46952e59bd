# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0

variable "hosts" {
  description = "Machines by name: role, memory, the address that Ansible connects to, and the one they use among themselves."
  type = map(object({
    role       = string
    memory_gib = number
    public_ip  = string
    private_ip = string
  }))
  validation {
    condition = alltrue([
      for host in values(var.hosts) :
      contains(["zookeeper", "bookie", "broker", "client", "coordinator", "monitor"], host.role)
    ])
    error_message = "hosts has a role that is none of zookeeper, bookie, broker, client, coordinator and monitor."
  }
  validation {
    condition     = length(setsubtract(["zookeeper", "bookie", "broker", "client", "coordinator"], [for host in values(var.hosts) : host.role])) == 0
    error_message = "hosts lacks one of the roles zookeeper, bookie, broker, client and coordinator."
  }
}

variable "quorums" {
  description = "Ensemble size, write quorum and ack quorum of managed ledgers."
  type        = object({ ensemble = number, write = number, ack = number })
}

locals {
  # Of one role, in the order of their numbers: ZooKeeper's server ids are positions in this list.
  names_by_role = {
    for role in distinct([for host in values(var.hosts) : host.role]) :
    role => [
      for key in sort([for name, host in var.hosts : format("%05d %s", tonumber(regex("[0-9]+$", name)), name) if host.role == role]) :
      split(" ", key)[1]
    ]
  }
}

output "yaml" {
  description = "The inventory as YAML: a group for each role."
  value = yamlencode({
    all = {
      vars = {
        ensemble_size = var.quorums.ensemble
        write_quorum  = var.quorums.write
        ack_quorum    = var.quorums.ack
      }
      children = {
        for role, names in local.names_by_role : role => {
          hosts = {
            for position, name in names : name => {
              ansible_host = var.hosts[name].public_ip
              private_ip   = var.hosts[name].private_ip
              memory_gib   = var.hosts[name].memory_gib
              role_number  = position + 1
            }
          }
        }
      }
    }
  })
}
