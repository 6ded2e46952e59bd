# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0

output "hosts" {
  description = "Name of each machine, with its role, its instance type, its memory and whether it is in the placement group."
  value       = local.hosts
}

output "instance_types" {
  description = "The instance types in use."
  value       = distinct([for machines in values(local.roles) : machines.type])
}

output "network" {
  description = "What the largest workload asks of the broker that owns the topic, and of each client machine."
  value = {
    payload_gbit_per_second           = local.payload_gbit_per_second
    broker_burst_gbit_per_second      = local.broker.burst_gbit
    broker_baseline_gbit_per_second   = local.broker.baseline_gbit
    sustained_at_baseline             = local.payload_gbit_per_second <= local.broker.baseline_gbit
    last_receiver_seconds_at_burst    = local.fan_out_seconds_at_burst
    last_receiver_seconds_at_baseline = local.fan_out_seconds_at_baseline
    client_gbit_per_second            = local.payload_gbit_per_second / var.client_count
    consumers_sustained_at_baseline   = floor(local.broker.baseline_gbit * 1000000000 / 8 / var.message_bytes / var.messages_per_second)
    connections_per_client            = local.connections_per_client
    connections_on_the_owning_broker  = ceil(var.consumers / var.consumers_per_connection)
    advice = (
      local.payload_gbit_per_second <= local.broker.baseline_gbit
      ? "The owning broker's baseline bandwidth carries the payload."
      : "${format("%.1f", local.payload_gbit_per_second)} Gbit/s of payload is above the ${local.broker.baseline_gbit} Gbit/s baseline of ${var.broker_instance_type}: the run lives on network credits. Keep it short, watch the bw_out_allowance_exceeded counter, or take a broker with more network."
    )
  }
}

output "quota_vcpus" {
  description = "vCPUs of all machines: what the quota \"Running On-Demand Standard instances\" has to allow."
  value       = local.vcpus
}

output "root_volume_gib" {
  description = "GiB of the root volume of each machine."
  value       = var.root_volume_gib
}

output "cost" {
  description = "Estimate in US dollars, rounded. Traffic inside one availability zone over private addresses is free; results that you fetch are not counted."
  value = {
    instances_per_hour = { for role, cost in local.instance_cost_per_hour : role => floor(cost * 1000 + 0.5) / 1000 }
    addresses_per_hour = floor(local.address_cost_per_hour * 1000 + 0.5) / 1000
    volumes_per_hour   = floor(local.volume_cost_per_hour * 1000 + 0.5) / 1000
    total_per_hour     = floor(local.cost_per_hour * 100 + 0.5) / 100
    planned_hours      = var.planned_hours
    total_planned      = floor(local.cost_per_hour * var.planned_hours * 100 + 0.5) / 100
    prices_of          = "${var.prices.region}, ${var.prices.date}"
  }
}

output "quorums" {
  description = "Ensemble size, write quorum and ack quorum of managed ledgers."
  value       = { ensemble = var.write_quorum, write = var.write_quorum, ack = var.ack_quorum }
}
