# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0

variables {
  quorums = { ensemble = 3, write = 3, ack = 2 }
  hosts = {
    "zookeeper-0"   = { role = "zookeeper", memory_gib = 42, public_ip = "203.0.113.1", private_ip = "10.77.0.1" }
    "bookie-0"      = { role = "bookie", memory_gib = 42, public_ip = "203.0.113.2", private_ip = "10.77.0.2" }
    "broker-2"      = { role = "broker", memory_gib = 42, public_ip = "203.0.113.3", private_ip = "10.77.0.3" }
    "broker-10"     = { role = "broker", memory_gib = 42, public_ip = "203.0.113.4", private_ip = "10.77.0.4" }
    "client-0"      = { role = "client", memory_gib = 42, public_ip = "203.0.113.5", private_ip = "10.77.0.5" }
    "coordinator-0" = { role = "coordinator", memory_gib = 42, public_ip = "203.0.113.6", private_ip = "10.77.0.6" }
  }
}

run "groups_hosts_by_role_in_the_order_of_their_numbers" {
  command = plan
  assert {
    condition     = yamldecode(output.yaml).all.children.broker.hosts["broker-2"].role_number == 1 && yamldecode(output.yaml).all.children.broker.hosts["broker-10"].role_number == 2
    error_message = "2 comes before 10"
  }
  assert {
    condition     = yamldecode(output.yaml).all.children.client.hosts["client-0"].ansible_host == "203.0.113.5" && yamldecode(output.yaml).all.children.client.hosts["client-0"].private_ip == "10.77.0.5"
    error_message = "Ansible comes from outside, the machines talk inside"
  }
  assert {
    condition     = yamldecode(output.yaml).all.children.broker.hosts["broker-2"].memory_gib == 42
    error_message = "Ansible divides the memory of each machine"
  }
  assert {
    condition     = yamldecode(output.yaml).all.vars.ack_quorum == 2
    error_message = "the quorums are variables of all hosts"
  }
}

run "refuses_a_cluster_without_a_bookie" {
  command = plan
  variables {
    hosts = { "broker-0" = { role = "broker", memory_gib = 42, public_ip = "203.0.113.3", private_ip = "10.77.0.3" } }
  }
  expect_failures = [var.hosts]
}

run "refuses_an_unknown_role" {
  command = plan
  variables {
    hosts = { "proxy-0" = { role = "proxy", memory_gib = 42, public_ip = "203.0.113.3", private_ip = "10.77.0.3" } }
  }
  expect_failures = [var.hosts]
}
