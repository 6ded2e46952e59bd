# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0

# Runs without AWS: .ci/deploy copies variables.tf, sizing.tf and modules/ to a folder of their own, without a provider.

variables {
  admin_cidrs         = ["203.0.113.7/32"]
  ssh_public_key_file = "tests/key.pub"
}

run "takes_the_defaults_with_an_address_and_a_key" {
  command = plan
  assert {
    condition     = output.network.payload_gbit_per_second == 8.192
    error_message = "null in the root means the default of modules/sizing"
  }
}

run "hands_its_variables_to_the_sizing" {
  command = plan
  variables {
    broker_count  = 2
    consumers     = 40000
    planned_hours = 2
  }
  assert {
    condition     = length([for host in values(output.hosts) : host if host.role == "broker"]) == 2 && output.cost.planned_hours == 2
    error_message = "two brokers for two hours"
  }
}

run "refuses_the_world" {
  command = plan
  variables {
    admin_cidrs = ["0.0.0.0/0"]
  }
  expect_failures = [var.admin_cidrs]
}

run "refuses_half_of_the_world" {
  command = plan
  variables {
    admin_cidrs = ["203.0.113.7/32", "128.0.0.0/1"]
  }
  expect_failures = [var.admin_cidrs]
}

run "refuses_nobody" {
  command = plan
  variables {
    admin_cidrs = []
  }
  expect_failures = [var.admin_cidrs]
}

run "refuses_an_address_without_a_mask" {
  command = plan
  variables {
    admin_cidrs = ["203.0.113.7"]
  }
  expect_failures = [var.admin_cidrs]
}

run "refuses_an_address_with_the_mask_of_its_network" {
  command = plan
  variables {
    admin_cidrs = ["198.51.100.7/24"]
  }
  expect_failures = [var.admin_cidrs]
}

run "refuses_ipv6_admins" {
  command = plan
  variables {
    admin_cidrs = ["::/0"]
  }
  expect_failures = [var.admin_cidrs]
}

run "refuses_a_region_that_is_none" {
  command = plan
  variables {
    region = "Virginia"
  }
  expect_failures = [var.region]
}

run "refuses_a_zone_of_another_region" {
  command = plan
  variables {
    availability_zone = "eu-west-1a"
  }
  expect_failures = [var.availability_zone]
}

run "refuses_a_missing_key" {
  command = plan
  variables {
    ssh_public_key_file = "tests/none.pub"
  }
  expect_failures = [var.ssh_public_key_file]
}

run "refuses_a_file_that_is_no_public_key" {
  command = plan
  variables {
    ssh_public_key_file = "variables.tf"
  }
  expect_failures = [var.ssh_public_key_file]
}

run "refuses_a_name_with_spaces" {
  command = plan
  variables {
    name = "my cluster"
  }
  expect_failures = [var.name]
}

run "refuses_tags_of_the_module" {
  command = plan
  variables {
    tags = { Cluster = "other" }
  }
  expect_failures = [var.tags]
}

run "refuses_to_run_for_ever" {
  command = plan
  variables {
    max_hours = 1000
  }
  expect_failures = [var.max_hours]
}

run "refuses_an_end_before_the_plan" {
  command = plan
  variables {
    max_hours = 3
  }
  expect_failures = [var.max_hours]
}

run "refuses_an_image_that_is_none" {
  command = plan
  variables {
    ami_id = "debian-12"
  }
  expect_failures = [var.ami_id]
}

run "refuses_a_public_network" {
  command = plan
  variables {
    vpc_cidr = "8.8.8.0/24"
  }
  expect_failures = [var.vpc_cidr]
}

run "refuses_an_address_as_the_network" {
  command = plan
  variables {
    vpc_cidr = "10.77.0.9/24"
  }
  expect_failures = [var.vpc_cidr]
}
