# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0

# Who may open which port of whom. From outside only SSH, and only from admin_cidrs; dashboards come through SSH tunnels.

locals {
  roles        = toset([for host in values(module.sizing.hosts) : host.role])
  pulsar_users = ["client", "coordinator"]

  private_rules = concat(
    [
      { to = "zookeeper", from = "zookeeper", first = 2888, last = 2888, what = "ZooKeeper followers" },
      { to = "zookeeper", from = "zookeeper", first = 3888, last = 3888, what = "ZooKeeper elections" },
      { to = "zookeeper", from = "zookeeper", first = 2181, last = 2181, what = "ZooKeeper clients, for the metadata that are written from one of the servers" },
      { to = "zookeeper", from = "bookie", first = 2181, last = 2181, what = "ZooKeeper clients" },
      { to = "zookeeper", from = "broker", first = 2181, last = 2181, what = "ZooKeeper clients" },
      { to = "bookie", from = "broker", first = 3181, last = 3181, what = "BookKeeper clients" },
      { to = "bookie", from = "bookie", first = 3181, last = 3181, what = "BookKeeper replication" },
      { to = "broker", from = "broker", first = 6650, last = 6650, what = "Pulsar protocol between brokers" },
      { to = "broker", from = "broker", first = 8080, last = 8080, what = "Pulsar REST between brokers" },
      { to = "client", from = "coordinator", first = 9000, last = 9001, what = "OMB worker" },
      { to = "zookeeper", from = "monitor", first = 8000, last = 8000, what = "Metrics of ZooKeeper" },
      { to = "bookie", from = "monitor", first = 8000, last = 8000, what = "Metrics of the bookie" },
      { to = "broker", from = "monitor", first = 8080, last = 8080, what = "Metrics of the broker" },
    ],
    [for user in local.pulsar_users : { to = "broker", from = user, first = 6650, last = 6650, what = "Pulsar protocol" }],
    [for user in local.pulsar_users : { to = "broker", from = user, first = 8080, last = 8080, what = "Pulsar REST" }],
    [for role in local.roles : { to = role, from = "monitor", first = 9100, last = 9100, what = "Metrics of the machine" }],
  )
}

resource "aws_security_group" "role" {
  for_each = local.roles

  name        = "${var.name}-${each.key}"
  description = "Machines of role ${each.key}"
  vpc_id      = aws_vpc.cluster.id

  tags = { Name = "${var.name}-${each.key}" }
}

resource "aws_vpc_security_group_ingress_rule" "private" {
  for_each = { for rule in local.private_rules : "${rule.to}-from-${rule.from}-${rule.first}" => rule }

  security_group_id            = aws_security_group.role[each.value.to].id
  referenced_security_group_id = aws_security_group.role[each.value.from].id
  ip_protocol                  = "tcp"
  from_port                    = each.value.first
  to_port                      = each.value.last
  description                  = each.value.what
}

resource "aws_vpc_security_group_ingress_rule" "ssh" {
  for_each = { for pair in setproduct(local.roles, toset(var.admin_cidrs)) : "${pair[0]}-${pair[1]}" => pair }

  security_group_id = aws_security_group.role[each.value[0]].id
  cidr_ipv4         = each.value[1]
  ip_protocol       = "tcp"
  from_port         = 22
  to_port           = 22
  description       = "SSH from admin_cidrs"
}

# Out: packages of Debian, and the Pulsar distribution where it is downloaded.
resource "aws_vpc_security_group_egress_rule" "out" {
  for_each = local.roles

  security_group_id = aws_security_group.role[each.key].id
  cidr_ipv4         = "0.0.0.0/0"
  ip_protocol       = "-1"
  description       = "Out"
}

resource "aws_key_pair" "admin" {
  key_name   = var.name
  public_key = trimspace(file(pathexpand(var.ssh_public_key_file)))
}
