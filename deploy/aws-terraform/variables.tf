# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0

# --- Where, and who may come in ---

variable "region" {
  description = "AWS region. Prices differ between regions: see prices."
  type        = string
  default     = "us-east-1"
  nullable    = false
  validation {
    condition     = can(regex("^[a-z]{2}(-[a-z]+)+-[0-9]$", var.region))
    error_message = "region is \"${var.region}\"; allowed is the name of a region, such as us-east-1."
  }
}

variable "availability_zone" {
  description = "The one zone of all machines; null picks the first that offers every instance type in use."
  type        = string
  default     = null
  validation {
    condition     = var.availability_zone == null || can(regex("^${var.region}[a-z]$", var.availability_zone))
    error_message = "availability_zone is \"${coalesce(var.availability_zone, "-")}\"; allowed is a zone of ${var.region}, such as ${var.region}a."
  }
}

variable "admin_cidrs" {
  description = "IPv4 networks that may reach the machines by SSH, in CIDR notation: your own address as a.b.c.d/32. There is no default."
  type        = list(string)
  nullable    = false
  validation {
    condition     = length(var.admin_cidrs) >= 1 && length(var.admin_cidrs) <= 10
    error_message = "admin_cidrs has ${length(var.admin_cidrs)} networks; allowed are 1 to 10."
  }
  validation {
    condition     = alltrue([for cidr in var.admin_cidrs : can(regex("^[0-9.]+/[0-9]+$", cidr)) && try("${cidrhost(cidr, 0)}/${split("/", cidr)[1]}" == cidr, false)])
    error_message = "admin_cidrs has ${join(", ", var.admin_cidrs)}; allowed are IPv4 networks in CIDR notation, such as 203.0.113.7/32 or 198.51.100.0/24, without bits of an address behind the mask."
  }
  validation {
    condition     = alltrue([for cidr in var.admin_cidrs : try(tonumber(split("/", cidr)[1]), 0) >= 16])
    error_message = "admin_cidrs has ${join(", ", var.admin_cidrs)}; networks wider than /16, above all 0.0.0.0/0, are refused: name the addresses that you come from."
  }
}

variable "ssh_public_key_file" {
  description = "File with the public half of your SSH key. The private half stays on your machine and never gets into Terraform's state."
  type        = string
  default     = "~/.ssh/id_ed25519.pub"
  nullable    = false
  validation {
    condition     = fileexists(pathexpand(var.ssh_public_key_file))
    error_message = "ssh_public_key_file is \"${var.ssh_public_key_file}\", which does not exist; make a key with: ssh-keygen -t ed25519"
  }
  validation {
    condition     = !fileexists(pathexpand(var.ssh_public_key_file)) || can(regex("^(ssh-ed25519|ssh-rsa) [A-Za-z0-9+/=]+", file(pathexpand(var.ssh_public_key_file))))
    error_message = "ssh_public_key_file is \"${var.ssh_public_key_file}\", which is no public key of type ssh-ed25519 or ssh-rsa, the two that EC2 takes."
  }
}

# --- Names and life ---

variable "name" {
  description = "Prefix of the names of all resources, and the value of their tag Cluster."
  type        = string
  default     = "pulsar-broadcast"
  nullable    = false
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,30}[a-z0-9]$", var.name))
    error_message = "name is \"${var.name}\"; allowed are 2 to 32 lower-case letters, digits and hyphens, beginning with a letter."
  }
}

variable "tags" {
  description = "Further tags for all resources, for instance the cost centre."
  type        = map(string)
  default     = {}
  nullable    = false
  validation {
    condition     = alltrue([for key in keys(var.tags) : !startswith(lower(key), "aws:") && !contains(["Name", "Cluster", "Role"], key)])
    error_message = "tags has the keys ${join(", ", keys(var.tags))}; Name, Cluster and Role are set by this module, and those that begin with aws: belong to AWS."
  }
}

variable "max_hours" {
  description = "Hours from its creation until a machine powers itself off, and is thereby terminated: a forgotten cluster ends by itself. A change has no effect on machines that are there."
  type        = number
  default     = 12
  nullable    = false
  validation {
    condition     = var.max_hours >= 1 && var.max_hours <= 168 && floor(var.max_hours) == var.max_hours
    error_message = "max_hours is ${var.max_hours}; allowed is a whole number from 1 to 168."
  }
  validation {
    condition     = var.max_hours >= coalesce(var.planned_hours, 4)
    error_message = "max_hours is ${var.max_hours}, less than the ${coalesce(var.planned_hours, 4)} hours of planned_hours."
  }
}

variable "ami_id" {
  description = "Image of all machines: a Debian 12 for x86_64. null takes the newest of Debian's own; name the one that the output ami_id said to repeat a run on the same image."
  type        = string
  default     = null
  validation {
    condition     = var.ami_id == null || can(regex("^ami-[0-9a-f]{8,17}$", var.ami_id))
    error_message = "ami_id is \"${coalesce(var.ami_id, "-")}\"; allowed is an image's id, such as ami-0123456789abcdef0."
  }
}

variable "vpc_cidr" {
  description = "Private IPv4 network of the cluster."
  type        = string
  default     = "10.77.0.0/24"
  nullable    = false
  validation {
    condition     = can(regex("^(10\\.|172\\.(1[6-9]|2[0-9]|3[01])\\.|192\\.168\\.)[0-9.]+/(1[6-9]|2[0-6])$", var.vpc_cidr)) && try("${cidrhost(var.vpc_cidr, 0)}/${split("/", var.vpc_cidr)[1]}" == var.vpc_cidr, false)
    error_message = "vpc_cidr is \"${var.vpc_cidr}\"; allowed is a private IPv4 network from /16 to /26, without bits of an address behind the mask."
  }
}

# --- Machines, the largest workload and prices: documented, defaulted and checked in modules/sizing ---

variable "broker_count" {
  description = "Brokers. null: the default of modules/sizing."
  type        = number
  default     = null
}

variable "broker_instance_type" {
  description = "Instance type of the brokers. null: the default of modules/sizing."
  type        = string
  default     = null
}

variable "bookie_count" {
  description = "Bookies. null: the default of modules/sizing."
  type        = number
  default     = null
}

variable "bookie_instance_type" {
  description = "Instance type of the bookies. null: the default of modules/sizing."
  type        = string
  default     = null
}

variable "write_quorum" {
  description = "Copies of each message. null: the default of modules/sizing."
  type        = number
  default     = null
}

variable "ack_quorum" {
  description = "Copies on disk before a message is acknowledged to its producer. null: the default of modules/sizing."
  type        = number
  default     = null
}

variable "zookeeper_count" {
  description = "ZooKeeper servers. null: the default of modules/sizing."
  type        = number
  default     = null
}

variable "zookeeper_instance_type" {
  description = "Instance type of the ZooKeeper servers. null: the default of modules/sizing."
  type        = string
  default     = null
}

variable "client_count" {
  description = "Machines that hold consumers. null: the default of modules/sizing."
  type        = number
  default     = null
}

variable "client_instance_type" {
  description = "Instance type of the machines that hold consumers. null: the default of modules/sizing."
  type        = string
  default     = null
}

variable "coordinator_instance_type" {
  description = "Instance type of the machine with the coordinator and the producer. null: the default of modules/sizing."
  type        = string
  default     = null
}

variable "monitor_instance_type" {
  description = "Instance type of the machine with Prometheus and Grafana. null: the default of modules/sizing."
  type        = string
  default     = null
}

variable "consumers" {
  description = "Consumers of the largest workload you mean to run. null: the default of modules/sizing."
  type        = number
  default     = null
}

variable "consumers_per_connection" {
  description = "Consumers that share a TCP connection. null: the default of modules/sizing."
  type        = number
  default     = null
}

variable "message_bytes" {
  description = "Bytes of a message of the largest workload. null: the default of modules/sizing."
  type        = number
  default     = null
}

variable "messages_per_second" {
  description = "Messages published per second in the largest workload. null: the default of modules/sizing."
  type        = number
  default     = null
}

variable "planned_hours" {
  description = "Hours from apply to destroy, for the estimate. null: the default of modules/sizing."
  type        = number
  default     = null
}

variable "root_volume_gib" {
  description = "GiB of the encrypted gp3 root volume of each machine. null: the default of modules/sizing."
  type        = number
  default     = null
}

variable "prices" {
  description = "List prices in US dollars. null: the default of modules/sizing."
  type        = any
  default     = null
}

