# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0

module "inventory" {
  source = "./modules/inventory"

  hosts = {
    for name, host in module.sizing.hosts : name => {
      role       = host.role
      memory_gib = host.memory_gib
      public_ip  = aws_instance.host[name].public_ip
      private_ip = aws_instance.host[name].private_ip
    }
  }
  quorums = module.sizing.quorums
}

output "inventory" {
  description = "Inventory for Ansible, in YAML; ./run apply writes it to generated/inventory.yml."
  value       = module.inventory.yaml
}

output "ami_id" {
  description = "Image that the newest machines have; put it into ami_id to repeat a run on it."
  value       = values(aws_instance.host)[0].ami
}

output "zone" {
  description = "The zone of all machines."
  value       = local.zone
}

output "tunnel" {
  description = "Prometheus on 9090 and Grafana on 3000 of your own machine, while this runs."
  value       = "ssh -N -L 9090:127.0.0.1:9090 -L 3000:127.0.0.1:3000 admin@${aws_instance.host["monitor-0"].public_ip}"
}
