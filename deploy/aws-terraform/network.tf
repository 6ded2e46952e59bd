# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0

# One zone, one subnet: traffic over private addresses inside a zone is free, which at 8 Gbit/s is most of the bill, and
# the placement group needs one zone anyway.

data "aws_ec2_instance_type_offerings" "zones" {
  for_each = toset(module.sizing.instance_types)

  location_type = "availability-zone"

  filter {
    name   = "instance-type"
    values = [each.value]
  }
}

locals {
  zones_with_all_types = sort(setintersection([
    for offering in values(data.aws_ec2_instance_type_offerings.zones) : toset(offering.locations)
  ]...))
  zone = var.availability_zone != null ? var.availability_zone : try(local.zones_with_all_types[0], null)
}

resource "aws_vpc" "cluster" {
  cidr_block           = var.vpc_cidr
  enable_dns_hostnames = true
  enable_dns_support   = true

  tags = { Name = var.name }
}

# Without rules: whatever is put into the default group by mistake can talk to nobody.
resource "aws_default_security_group" "closed" {
  vpc_id  = aws_vpc.cluster.id
  ingress = []
  egress  = []

  tags = { Name = "${var.name}-closed" }
}

resource "aws_internet_gateway" "cluster" {
  vpc_id = aws_vpc.cluster.id

  tags = { Name = var.name }
}

resource "aws_subnet" "cluster" {
  vpc_id                  = aws_vpc.cluster.id
  cidr_block              = var.vpc_cidr
  availability_zone       = local.zone
  map_public_ip_on_launch = false

  tags = { Name = var.name }

  lifecycle {
    precondition {
      condition     = local.zone != null && contains(local.zones_with_all_types, coalesce(local.zone, "none"))
      error_message = "The zone ${coalesce(local.zone, "(none)")} of ${var.region} does not offer all of ${join(", ", module.sizing.instance_types)}; zones that do: ${join(", ", local.zones_with_all_types)}."
    }
  }
}

resource "aws_route_table" "cluster" {
  vpc_id = aws_vpc.cluster.id

  route {
    cidr_block = "0.0.0.0/0"
    gateway_id = aws_internet_gateway.cluster.id
  }

  tags = { Name = var.name }
}

resource "aws_route_table_association" "cluster" {
  subnet_id      = aws_subnet.cluster.id
  route_table_id = aws_route_table.cluster.id
}
