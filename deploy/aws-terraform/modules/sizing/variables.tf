# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0

variable "broker_count" {
  description = "Brokers. One of them owns the topic and sends all of its messages."
  type        = number
  nullable    = false
  default     = 1
  validation {
    condition     = var.broker_count >= 1 && var.broker_count <= 8 && floor(var.broker_count) == var.broker_count
    error_message = "broker_count is ${var.broker_count}; allowed is a whole number from 1 to 8."
  }
}

variable "broker_instance_type" {
  description = "Instance type of the brokers. i3.4xlarge is NTT's; c5n.9xlarge has a network that 100,000 consumers of 10 KiB do not fill."
  type        = string
  nullable    = false
  default     = "i3.4xlarge"
  validation {
    condition     = contains(["i3.4xlarge", "i3.8xlarge", "i3.16xlarge", "c5n.4xlarge", "c5n.9xlarge"], var.broker_instance_type)
    error_message = "broker_instance_type is ${var.broker_instance_type}; allowed are i3.4xlarge, i3.8xlarge, i3.16xlarge, c5n.4xlarge and c5n.9xlarge."
  }
}

variable "bookie_count" {
  description = "Bookies; at least as many as copies of a message (write_quorum)."
  type        = number
  nullable    = false
  default     = 3
  validation {
    condition     = var.bookie_count >= 1 && var.bookie_count <= 12 && floor(var.bookie_count) == var.bookie_count
    error_message = "bookie_count is ${var.bookie_count}; allowed is a whole number from 1 to 12."
  }
  validation {
    condition     = var.bookie_count >= var.write_quorum
    error_message = "bookie_count is ${var.bookie_count}, fewer than the ${var.write_quorum} copies of write_quorum; raise bookie_count or lower write_quorum."
  }
}

variable "bookie_instance_type" {
  description = "Instance type of the bookies: an i3 with two instance-store NVMe disks or more, the first for the journal and the second for ledgers. Only the Xen-based i3 names them /dev/nvme0n1 and /dev/nvme1n1 without a root volume in between."
  type        = string
  nullable    = false
  default     = "i3.4xlarge"
  validation {
    condition     = try(local.catalogue[var.bookie_instance_type].nvme_disks >= 2, false)
    error_message = "bookie_instance_type is ${var.bookie_instance_type}; allowed are ${join(", ", [for type, machine in local.catalogue : type if machine.nvme_disks >= 2])}, which have two NVMe instance-store disks or more."
  }
}

variable "write_quorum" {
  description = "Copies of each message; also the size of the ensemble."
  type        = number
  nullable    = false
  default     = 3
  validation {
    condition     = var.write_quorum >= 1 && var.write_quorum <= 5 && floor(var.write_quorum) == var.write_quorum
    error_message = "write_quorum is ${var.write_quorum}; allowed is a whole number from 1 to 5."
  }
}

variable "ack_quorum" {
  description = "Copies on disk before a message is acknowledged to its producer."
  type        = number
  nullable    = false
  default     = 2
  validation {
    condition     = var.ack_quorum >= 1 && var.ack_quorum <= var.write_quorum && floor(var.ack_quorum) == var.ack_quorum
    error_message = "ack_quorum is ${var.ack_quorum}; allowed is a whole number from 1 to write_quorum, which is ${var.write_quorum}."
  }
}

variable "zookeeper_count" {
  description = "ZooKeeper servers: 1, 3 or 5."
  type        = number
  nullable    = false
  default     = 3
  validation {
    condition     = contains([1, 3, 5], var.zookeeper_count)
    error_message = "zookeeper_count is ${var.zookeeper_count}; allowed are 1, 3 and 5, so that a majority exists."
  }
}

variable "zookeeper_instance_type" {
  description = "Instance type of the ZooKeeper servers."
  type        = string
  nullable    = false
  default     = "m5.large"
  validation {
    condition     = contains(["m5.large", "m5.xlarge"], var.zookeeper_instance_type)
    error_message = "zookeeper_instance_type is ${var.zookeeper_instance_type}; allowed are m5.large and m5.xlarge."
  }
}

variable "client_count" {
  description = "Machines that hold consumers. The producer and the coordinator have a machine of their own beside them."
  type        = number
  nullable    = false
  default     = 4
  validation {
    condition     = var.client_count >= 2 && var.client_count <= 32 && floor(var.client_count) == var.client_count
    error_message = "client_count is ${var.client_count}; allowed is a whole number from 2 to 32: one machine alone would measure its own network card and its own 64,400 ports."
  }
}

variable "client_instance_type" {
  description = "Instance type of the machines that hold consumers."
  type        = string
  nullable    = false
  default     = "c5n.4xlarge"
  validation {
    condition     = contains(["c5n.2xlarge", "c5n.4xlarge", "c5n.9xlarge"], var.client_instance_type)
    error_message = "client_instance_type is ${var.client_instance_type}; allowed are c5n.2xlarge, c5n.4xlarge and c5n.9xlarge."
  }
}

variable "coordinator_instance_type" {
  description = "Instance type of the machine with the coordinator and the producer."
  type        = string
  nullable    = false
  default     = "c5n.2xlarge"
  validation {
    condition     = contains(["c5n.2xlarge", "c5n.4xlarge"], var.coordinator_instance_type)
    error_message = "coordinator_instance_type is ${var.coordinator_instance_type}; allowed are c5n.2xlarge and c5n.4xlarge."
  }
}

variable "monitor_instance_type" {
  description = "Instance type of the machine with Prometheus and Grafana."
  type        = string
  nullable    = false
  default     = "m5.large"
  validation {
    condition     = contains(["m5.large", "m5.xlarge"], var.monitor_instance_type)
    error_message = "monitor_instance_type is ${var.monitor_instance_type}; allowed are m5.large and m5.xlarge."
  }
}

variable "consumers" {
  description = "Consumers of the largest workload you mean to run. What is derived from it, the network arithmetic and the checks, follows; workloads name their own number."
  type        = number
  nullable    = false
  default     = 100000
  validation {
    condition     = var.consumers >= 1 && var.consumers <= 1000000 && floor(var.consumers) == var.consumers
    error_message = "consumers is ${var.consumers}; allowed is a whole number from 1 to 1,000,000."
  }
  validation {
    condition     = ceil(var.consumers / var.consumers_per_connection / var.client_count) <= 60000
    error_message = "${var.consumers} consumers, ${var.consumers_per_connection} to a connection, on ${var.client_count} machines are more than 60,000 connections on one machine, which has 64,400 ports to one broker address; raise client_count or consumers_per_connection."
  }
  validation {
    condition     = 8 * var.consumers * var.message_bytes * var.messages_per_second / 1000000000 <= local.catalogue[var.broker_instance_type].burst_gbit
    error_message = "${var.consumers} consumers x ${var.message_bytes} bytes x ${var.messages_per_second}/s are ${format("%.1f", 8 * var.consumers * var.message_bytes * var.messages_per_second / 1000000000)} Gbit/s from the one broker that owns the topic, more than the ${local.catalogue[var.broker_instance_type].burst_gbit} Gbit/s that ${var.broker_instance_type} has at most; take a larger broker_instance_type, or fewer consumers, bytes or messages."
  }
  validation {
    condition     = 8 * var.consumers * var.message_bytes * var.messages_per_second / 1000000000 / var.client_count <= local.catalogue[var.client_instance_type].baseline_gbit
    error_message = "${var.client_count} machines of type ${var.client_instance_type} cannot take in ${var.consumers} consumers x ${var.message_bytes} bytes x ${var.messages_per_second}/s at ${local.catalogue[var.client_instance_type].baseline_gbit} Gbit/s each; raise client_count or take a larger client_instance_type."
  }
}

variable "consumers_per_connection" {
  description = "Consumers that share a TCP connection. 1, a connection each, is the worst case, which the machines are sized for."
  type        = number
  nullable    = false
  default     = 1
  validation {
    condition     = var.consumers_per_connection >= 1 && var.consumers_per_connection <= 100000
    error_message = "consumers_per_connection is ${var.consumers_per_connection}; allowed is a number from 1 to 100,000."
  }
}

variable "message_bytes" {
  description = "Bytes of a message of the largest workload."
  type        = number
  nullable    = false
  default     = 10240
  validation {
    condition     = var.message_bytes >= 1 && var.message_bytes <= 5242880 && floor(var.message_bytes) == var.message_bytes
    error_message = "message_bytes is ${var.message_bytes}; allowed is a whole number from 1 to 5,242,880, the broker's own limit."
  }
}

variable "messages_per_second" {
  description = "Messages published per second in the largest workload."
  type        = number
  nullable    = false
  default     = 1
  validation {
    condition     = var.messages_per_second > 0 && var.messages_per_second <= 1000000
    error_message = "messages_per_second is ${var.messages_per_second}; allowed is more than 0 and at most 1,000,000."
  }
}

variable "planned_hours" {
  description = "Hours from apply to destroy, for the estimate."
  type        = number
  nullable    = false
  default     = 4
  validation {
    condition     = var.planned_hours > 0 && var.planned_hours <= 72
    error_message = "planned_hours is ${var.planned_hours}; allowed is more than 0 and at most 72."
  }
}

variable "root_volume_gib" {
  description = "GiB of the encrypted gp3 root volume of each machine. Logs and results are on it, messages are not."
  type        = number
  nullable    = false
  default     = 30
  validation {
    condition     = var.root_volume_gib >= 16 && var.root_volume_gib <= 1000 && floor(var.root_volume_gib) == var.root_volume_gib
    error_message = "root_volume_gib is ${var.root_volume_gib}; allowed is a whole number from 16 to 1,000."
  }
}

variable "prices" {
  description = "List prices in US dollars: per hour of an on-demand Linux instance by type, per hour of a public IPv4 address, per GiB and month of a gp3 volume; and where and when they were taken."
  nullable    = false
  type = object({
    region            = string
    date              = string
    instance_hour     = map(number)
    public_ipv4_hour  = number
    gp3_gib_per_month = number
  })
  default = {
    region = "us-east-1"
    date   = "June 2025, not checked since: look them up before you rely on the estimate"
    instance_hour = {
      "i3.4xlarge"  = 1.248
      "i3.8xlarge"  = 2.496
      "i3.16xlarge" = 4.992
      "c5n.2xlarge" = 0.432
      "c5n.4xlarge" = 0.864
      "c5n.9xlarge" = 1.944
      "m5.large"    = 0.096
      "m5.xlarge"   = 0.192
    }
    public_ipv4_hour  = 0.005
    gp3_gib_per_month = 0.08
  }
  validation {
    condition     = alltrue([for price in values(var.prices.instance_hour) : price > 0]) && var.prices.public_ipv4_hour >= 0 && var.prices.gp3_gib_per_month >= 0
    error_message = "prices has an amount that is negative, or an instance that is free; give list prices in US dollars."
  }
  validation {
    condition = alltrue([
      for type in [var.broker_instance_type, var.bookie_instance_type, var.zookeeper_instance_type, var.client_instance_type, var.coordinator_instance_type, var.monitor_instance_type] :
      contains(keys(var.prices.instance_hour), type)
    ])
    error_message = "prices.instance_hour lacks one of the instance types in use: ${join(", ", distinct([var.broker_instance_type, var.bookie_instance_type, var.zookeeper_instance_type, var.client_instance_type, var.coordinator_instance_type, var.monitor_instance_type]))}."
  }
}
