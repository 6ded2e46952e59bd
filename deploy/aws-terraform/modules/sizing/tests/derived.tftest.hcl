# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0

run "defaults_are_ntts_hundred_thousand" {
  command = plan

  assert {
    condition     = output.network.payload_gbit_per_second == 8.192
    error_message = "100,000 x 10,240 bytes x 8 are 8.192 Gbit"
  }
  assert {
    condition     = output.network.broker_burst_gbit_per_second == 10 && !output.network.sustained_at_baseline
    error_message = "8.2 Gbit/s fit into the burst of an i3.4xlarge, not into its baseline"
  }
  assert {
    condition     = abs(output.network.last_receiver_seconds_at_burst - 0.8192) < 0.000001
    error_message = "at 10 Gbit/s the last of 100,000 receivers has its 10 KiB after 0.82 s"
  }
  assert {
    condition     = output.network.connections_per_client == 25000
    error_message = "100,000 connections on 4 machines"
  }
  assert {
    condition     = output.network.consumers_sustained_at_baseline == 61035
    error_message = "5 Gbit/s carry 61,035 consumers of 10 KiB per second"
  }
  assert {
    condition     = length(output.hosts) == 13 && length([for host in values(output.hosts) : host if host.role == "bookie" && host.placed]) == 3
    error_message = "1 broker, 3 bookies, 3 ZooKeepers, 4 clients, 1 coordinator, 1 monitor"
  }
  assert {
    condition     = output.quota_vcpus == 144 && output.hosts["client-0"].memory_gib == 42
    error_message = "8 machines of 16 vCPUs, one of 8 and 4 of 2"
  }
  assert {
    condition     = abs(output.cost.total_per_hour - (4 * 1.248 + 4 * 0.864 + 0.432 + 4 * 0.096 + 13 * 0.005 + 13 * 30 * 0.08 / 730)) <= 0.005
    error_message = "the sum of instances, addresses and volumes"
  }
  assert {
    condition     = abs(output.cost.total_planned - 4 * output.cost.total_per_hour) <= 0.025
    error_message = "planned_hours times the hour"
  }
}

run "a_broker_with_more_network_sustains_it" {
  command = plan
  variables {
    broker_instance_type = "c5n.9xlarge"
  }
  assert {
    condition     = output.network.sustained_at_baseline && startswith(output.network.advice, "The owning broker's baseline")
    error_message = "50 Gbit/s carry 8.2"
  }
}

run "the_quorum_is_what_the_ledgers_get" {
  command = plan
  variables {
    bookie_count = 2
    write_quorum = 2
    ack_quorum   = 1
  }
  assert {
    condition     = output.quorums.ensemble == 2 && output.quorums.write == 2 && output.quorums.ack == 1
    error_message = "two copies, one awaited"
  }
}
