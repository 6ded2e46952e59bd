# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0

# The whole configuration against the AWS provider's schema, with AWS mocked: needs the provider, but no account.

mock_provider "aws" {
  override_during = plan

  mock_data "aws_ec2_instance_type_offerings" {
    defaults = { locations = ["us-east-1a", "us-east-1b"] }
  }
  mock_data "aws_ami" {
    defaults = { id = "ami-0123456789abcdef0" }
  }
  mock_resource "aws_instance" {
    defaults = { public_ip = "203.0.113.20", private_ip = "10.77.0.20", ami = "ami-0123456789abcdef0" }
  }
}

variables {
  admin_cidrs         = ["203.0.113.7/32", "198.51.100.0/24"]
  ssh_public_key_file = "tests/key.pub"
}

run "machines" {
  command = plan

  assert {
    condition     = length(aws_instance.host) == 13 && length([for host in aws_instance.host : host if host.instance_type == "i3.4xlarge"]) == 4
    error_message = "1 broker and 3 bookies of i3.4xlarge among 13 machines"
  }
  assert {
    condition     = alltrue([for host in aws_instance.host : host.metadata_options[0].http_tokens == "required"])
    error_message = "IMDSv2 on every machine"
  }
  assert {
    condition     = alltrue([for host in aws_instance.host : host.root_block_device[0].encrypted && host.root_block_device[0].delete_on_termination])
    error_message = "every root volume is encrypted, and goes with its machine"
  }
  assert {
    condition     = alltrue([for host in aws_instance.host : host.instance_initiated_shutdown_behavior == "terminate" && strcontains(host.user_data, "+12 hours")])
    error_message = "every machine ends by itself after max_hours"
  }
  assert {
    condition     = alltrue([for name, host in aws_instance.host : host.placement_group == aws_placement_group.cluster.name if contains(["bookie", "broker", "client", "coordinator"], split("-", name)[0])])
    error_message = "what carries the load is in the placement group"
  }
  assert {
    condition     = aws_placement_group.cluster.strategy == "cluster" && aws_subnet.cluster.availability_zone == "us-east-1a"
    error_message = "close together, in the first zone that has all types"
  }
}

run "ports" {
  command = plan

  assert {
    condition     = alltrue([for rule in aws_vpc_security_group_ingress_rule.ssh : rule.from_port == 22 && rule.to_port == 22 && contains(var.admin_cidrs, rule.cidr_ipv4)])
    error_message = "from outside only SSH, only from admin_cidrs"
  }
  assert {
    condition     = length(aws_vpc_security_group_ingress_rule.ssh) == 12
    error_message = "six roles, two networks"
  }
  assert {
    condition     = alltrue([for rule in aws_vpc_security_group_ingress_rule.private : rule.cidr_ipv4 == null && rule.cidr_ipv6 == null])
    error_message = "inside, rules name security groups and no addresses"
  }
  assert {
    condition = alltrue([
      for text in concat([for rule in aws_vpc_security_group_ingress_rule.private : rule.description], [for group in aws_security_group.role : group.description]) :
      can(regex("^[A-Za-z0-9. _:/()#,@\\[\\]+=&;{}!$*-]{1,255}$", text))
    ])
    error_message = "descriptions have the characters that EC2 takes, no apostrophe for instance"
  }
  assert {
    condition     = length(aws_default_security_group.closed.ingress) == 0 && length(aws_default_security_group.closed.egress) == 0
    error_message = "the default security group has no rules"
  }
}

run "inventory" {
  command = plan

  assert {
    condition     = yamldecode(output.inventory).all.children.bookie.hosts["bookie-2"].private_ip == "10.77.0.20" && yamldecode(output.inventory).all.vars.write_quorum == 3
    error_message = "Ansible gets every machine and the quorums"
  }
}

run "a_zone_without_the_types_is_refused" {
  command = plan
  variables {
    availability_zone = "us-east-1f"
  }
  expect_failures = [aws_subnet.cluster]
}
