# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0

# Debian 12, from Debian's own account: it has the JDK 17 that a Pulsar 3.x broker needs, and it is the system on which
# the Ansible roles are exercised.
data "aws_ami" "debian" {
  owners      = ["136693071363"]
  most_recent = true

  filter {
    name   = "name"
    values = ["debian-12-amd64-*"]
  }
  filter {
    name   = "architecture"
    values = ["x86_64"]
  }
  filter {
    name   = "virtualization-type"
    values = ["hvm"]
  }
  filter {
    name   = "root-device-type"
    values = ["ebs"]
  }
}

# Brokers, bookies and clients close to each other: the full network rate between them, and 10 Gbit/s instead of 5 on one
# connection.
resource "aws_placement_group" "cluster" {
  name     = var.name
  strategy = "cluster"
}

# On-demand only. A spot machine that is taken away in the middle spoils a run, and a bookie takes its disks with it:
# there is no option for it.
resource "aws_instance" "host" {
  for_each = module.sizing.hosts

  ami                                  = var.ami_id != null ? var.ami_id : data.aws_ami.debian.id
  instance_type                        = each.value.instance_type
  key_name                             = aws_key_pair.admin.key_name
  subnet_id                            = aws_subnet.cluster.id
  vpc_security_group_ids               = [aws_security_group.role[each.value.role].id]
  associate_public_ip_address          = true
  placement_group                      = each.value.placed ? aws_placement_group.cluster.name : null
  instance_initiated_shutdown_behavior = "terminate"

  # Powers itself off, and is terminated, when it was forgotten: at a time of day, so that a reboot does not put it off.
  user_data = <<-EOT
    #!/bin/sh
    cat >/etc/systemd/system/max-hours.service <<'UNIT'
    [Service]
    Type=oneshot
    ExecStart=/usr/bin/systemctl poweroff
    UNIT
    cat >/etc/systemd/system/max-hours.timer <<UNIT
    [Timer]
    OnCalendar=$(date -u -d '+${var.max_hours} hours' '+%Y-%m-%d %H:%M:%S UTC')
    Persistent=true
    [Install]
    WantedBy=timers.target
    UNIT
    systemctl daemon-reload
    systemctl enable --now max-hours.timer
  EOT

  metadata_options {
    http_endpoint               = "enabled"
    http_tokens                 = "required"
    http_put_response_hop_limit = 1
  }

  root_block_device {
    volume_type           = "gp3"
    volume_size           = module.sizing.root_volume_gib
    encrypted             = true
    delete_on_termination = true
    tags                  = merge(var.tags, { Name = "${var.name}-${each.key}", Cluster = var.name })
  }

  tags = { Name = "${var.name}-${each.key}", Role = each.value.role }

  lifecycle {
    # Of a running cluster, a newer image of Debian replaces no machine, and another max_hours stops none: what is stopped
    # loses its instance-store disks.
    ignore_changes = [ami, user_data]
  }

  depends_on = [aws_route_table_association.cluster]
}
