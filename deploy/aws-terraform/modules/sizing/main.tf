# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0

locals {
  roles = {
    zookeeper   = { count = var.zookeeper_count, type = var.zookeeper_instance_type, placed = false }
    bookie      = { count = var.bookie_count, type = var.bookie_instance_type, placed = true }
    broker      = { count = var.broker_count, type = var.broker_instance_type, placed = true }
    client      = { count = var.client_count, type = var.client_instance_type, placed = true }
    coordinator = { count = 1, type = var.coordinator_instance_type, placed = true }
    monitor     = { count = 1, type = var.monitor_instance_type, placed = false }
  }

  hosts = merge([
    for role, machines in local.roles : {
      for number in range(machines.count) :
      "${role}-${number}" => {
        role          = role
        instance_type = machines.type
        memory_gib    = local.catalogue[machines.type].memory_gib
        placed        = machines.placed
      }
    }
  ]...)

  # --- Network: everything that the consumers receive leaves the one broker that owns the topic ---

  payload_gbit_per_second = 8 * var.consumers * var.message_bytes * var.messages_per_second / 1000000000
  # One message to everybody, as fast as the network card of the broker lets it out.
  fan_out_gbit                = 8 * var.consumers * var.message_bytes / 1000000000
  broker                      = local.catalogue[var.broker_instance_type]
  fan_out_seconds_at_burst    = local.fan_out_gbit / local.broker.burst_gbit
  fan_out_seconds_at_baseline = local.fan_out_gbit / local.broker.baseline_gbit
  connections_per_client      = ceil(var.consumers / var.consumers_per_connection / var.client_count)

  # --- Cost ---

  hours_per_month = 730

  instance_cost_per_hour = {
    for role, machines in local.roles : role => machines.count * var.prices.instance_hour[machines.type]
  }
  vcpus                 = sum([for machines in values(local.roles) : machines.count * local.catalogue[machines.type].vcpus])
  machine_count         = sum([for machines in values(local.roles) : machines.count])
  address_cost_per_hour = local.machine_count * var.prices.public_ipv4_hour
  volume_cost_per_hour  = local.machine_count * var.root_volume_gib * var.prices.gp3_gib_per_month / local.hours_per_month
  cost_per_hour         = sum(values(local.instance_cost_per_hour)) + local.address_cost_per_hour + local.volume_cost_per_hour
}
