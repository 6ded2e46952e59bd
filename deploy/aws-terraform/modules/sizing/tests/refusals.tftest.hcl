# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0

run "refuses_no_broker" {
  command = plan
  variables {
    broker_count = 0
  }
  expect_failures = [var.broker_count]
}

run "refuses_half_a_broker" {
  command = plan
  variables {
    broker_count = 1.5
  }
  expect_failures = [var.broker_count]
}

run "refuses_a_burstable_broker" {
  command = plan
  variables {
    broker_instance_type = "t3.large"
  }
  expect_failures = [var.broker_instance_type]
}

run "refuses_fewer_bookies_than_copies" {
  command = plan
  variables {
    bookie_count = 2
  }
  expect_failures = [var.bookie_count]
}

run "refuses_a_bookie_on_ebs" {
  command = plan
  variables {
    bookie_instance_type = "m5.4xlarge"
  }
  expect_failures = [var.bookie_instance_type]
}

run "refuses_a_bookie_with_one_disk" {
  command = plan
  variables {
    bookie_instance_type = "i3.2xlarge"
  }
  expect_failures = [var.bookie_instance_type]
}

run "refuses_six_copies" {
  command = plan
  variables {
    write_quorum = 6
    bookie_count = 6
  }
  expect_failures = [var.write_quorum]
}

run "refuses_to_await_more_copies_than_there_are" {
  command = plan
  variables {
    ack_quorum = 4
  }
  expect_failures = [var.ack_quorum]
}

run "refuses_two_zookeepers" {
  command = plan
  variables {
    zookeeper_count = 2
  }
  expect_failures = [var.zookeeper_count]
}

run "refuses_a_large_zookeeper" {
  command = plan
  variables {
    zookeeper_instance_type = "i3.4xlarge"
  }
  expect_failures = [var.zookeeper_instance_type]
}

run "refuses_a_single_client_machine" {
  command = plan
  variables {
    client_count = 1
  }
  expect_failures = [var.client_count]
}

run "refuses_a_small_client" {
  command = plan
  variables {
    client_instance_type = "t3.micro"
  }
  expect_failures = [var.client_instance_type]
}

run "refuses_a_small_coordinator" {
  command = plan
  variables {
    coordinator_instance_type = "m5.large"
  }
  expect_failures = [var.coordinator_instance_type]
}

run "refuses_an_unknown_monitor" {
  command = plan
  variables {
    monitor_instance_type = "m5.metal"
  }
  expect_failures = [var.monitor_instance_type]
}

run "refuses_no_consumers" {
  command = plan
  variables {
    consumers = 0
  }
  expect_failures = [var.consumers]
}

run "refuses_more_than_the_broker_can_send" {
  command = plan
  variables {
    consumers = 130000
  }
  expect_failures = [var.consumers]
}

run "refuses_more_connections_than_ports" {
  command = plan
  variables {
    consumers     = 200000
    client_count  = 2
    message_bytes = 100
  }
  expect_failures = [var.consumers]
}

run "refuses_more_than_the_clients_take_in" {
  command = plan
  variables {
    broker_instance_type = "c5n.9xlarge"
    client_count         = 2
    client_instance_type = "c5n.2xlarge"
    consumers            = 120000
    message_bytes        = 30000
  }
  expect_failures = [var.consumers]
}

run "refuses_no_consumer_on_a_connection" {
  command = plan
  variables {
    consumers_per_connection = 0
  }
  expect_failures = [var.consumers_per_connection]
}

run "refuses_messages_above_the_brokers_limit" {
  command = plan
  variables {
    message_bytes = 5242881
    consumers     = 10
  }
  expect_failures = [var.message_bytes]
}

run "refuses_a_rate_of_zero" {
  command = plan
  variables {
    messages_per_second = 0
  }
  expect_failures = [var.messages_per_second]
}

run "refuses_a_month" {
  command = plan
  variables {
    planned_hours = 720
  }
  expect_failures = [var.planned_hours]
}

run "refuses_a_tiny_root_volume" {
  command = plan
  variables {
    root_volume_gib = 4
  }
  expect_failures = [var.root_volume_gib]
}

run "refuses_prices_without_the_types_in_use" {
  command = plan
  variables {
    prices = { region = "eu-west-1", date = "today", instance_hour = { "i3.4xlarge" = 1.376 }, public_ipv4_hour = 0.005, gp3_gib_per_month = 0.088 }
  }
  expect_failures = [var.prices]
}

run "refuses_a_price_below_zero" {
  command = plan
  variables {
    prices = {
      region        = "us-east-1", date = "today", public_ipv4_hour = -0.005, gp3_gib_per_month = 0.08
      instance_hour = { "i3.4xlarge" = 1.248, "c5n.4xlarge" = 0.864, "c5n.2xlarge" = 0.432, "m5.large" = 0.096 }
    }
  }
  expect_failures = [var.prices]
}
