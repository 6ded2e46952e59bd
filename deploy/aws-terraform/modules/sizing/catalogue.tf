# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0

locals {
  # vCPUs, memory, instance-store disks and network of the instance types that the variables allow. "burst" is the
  # "up to" figure; "baseline" is what remains when the network credits are used up (5 to 60 minutes, says AWS).
  catalogue = {
    "i3.4xlarge"  = { vcpus = 16, memory_gib = 122, nvme_disks = 2, baseline_gbit = 5, burst_gbit = 10 }
    "i3.8xlarge"  = { vcpus = 32, memory_gib = 244, nvme_disks = 4, baseline_gbit = 10, burst_gbit = 10 }
    "i3.16xlarge" = { vcpus = 64, memory_gib = 488, nvme_disks = 8, baseline_gbit = 25, burst_gbit = 25 }
    "c5n.2xlarge" = { vcpus = 8, memory_gib = 21, nvme_disks = 0, baseline_gbit = 10, burst_gbit = 25 }
    "c5n.4xlarge" = { vcpus = 16, memory_gib = 42, nvme_disks = 0, baseline_gbit = 15, burst_gbit = 25 }
    "c5n.9xlarge" = { vcpus = 36, memory_gib = 96, nvme_disks = 0, baseline_gbit = 50, burst_gbit = 50 }
    "m5.large"    = { vcpus = 2, memory_gib = 8, nvme_disks = 0, baseline_gbit = 0.75, burst_gbit = 10 }
    "m5.xlarge"   = { vcpus = 4, memory_gib = 16, nvme_disks = 0, baseline_gbit = 1.25, burst_gbit = 10 }
  }
}
