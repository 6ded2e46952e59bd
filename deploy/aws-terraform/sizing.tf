# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0

module "sizing" {
  source = "./modules/sizing"

  broker_count              = var.broker_count
  broker_instance_type      = var.broker_instance_type
  bookie_count              = var.bookie_count
  bookie_instance_type      = var.bookie_instance_type
  write_quorum              = var.write_quorum
  ack_quorum                = var.ack_quorum
  zookeeper_count           = var.zookeeper_count
  zookeeper_instance_type   = var.zookeeper_instance_type
  client_count              = var.client_count
  client_instance_type      = var.client_instance_type
  coordinator_instance_type = var.coordinator_instance_type
  monitor_instance_type     = var.monitor_instance_type
  consumers                 = var.consumers
  consumers_per_connection  = var.consumers_per_connection
  message_bytes             = var.message_bytes
  messages_per_second       = var.messages_per_second
  planned_hours             = var.planned_hours
  root_volume_gib           = var.root_volume_gib
  prices                    = var.prices
}

output "hosts" {
  description = "Machines by name, with role, instance type and memory."
  value       = module.sizing.hosts
}

output "quota_vcpus" {
  description = "vCPUs of all machines: what the quota \"Running On-Demand Standard instances\" has to allow."
  value       = module.sizing.quota_vcpus
}

output "network" {
  description = "What the largest workload asks of the network, and what the instance types give."
  value       = module.sizing.network
}

output "cost" {
  description = "Estimate in US dollars, from the variable prices."
  value       = module.sizing.cost
}
