#!/usr/bin/env python3
# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0
"""Says what is wrong with rendered charts.

check.py monitoring FOLDER DEFAULT ALL: our chart has the alerts and the dashboard of a folder, by default and with all on.
check.py pulsar VALUES PULSAR MONITORING: Pulsar's chart with our values, an operator's own kept, beside our chart.
"""

import sys

import yaml


def objects(path):
    with open(path, encoding="utf-8") as file:
        return [one for one in yaml.safe_load_all(file) if one]


def of_kind(rendered, kind, name=None):
    found = [one for one in rendered if one["kind"] == kind and name in (None, one["metadata"]["name"])]
    if len(found) != 1:
        sys.exit(f"{len(found)} of kind {kind} {name or ''}; 1 is expected")
    return found[0]


def same(what, actual, expected):
    if actual != expected:
        sys.exit(f"{what} is {actual!r}; expected is {expected!r}")


def monitoring(folder, default, everything):
    with open(f"{folder}/alerts.yml", encoding="utf-8") as file:
        alerts = yaml.safe_load(file)
    with open(f"{folder}/dashboard.json", encoding="utf-8") as file:
        dashboard = file.read()
    same("kinds by default", sorted(one["kind"] for one in objects(default)), ["ConfigMap", "PrometheusRule"])
    same("the alerts", of_kind(objects(default), "PrometheusRule")["spec"], alerts)
    rendered = objects(everything)
    config_map = of_kind(rendered, "ConfigMap")
    same("the dashboard", config_map["data"]["pulsar-broadcast.json"], dashboard)
    same("the dashboard's labels", config_map["metadata"]["labels"], {"grafana_dashboard": "1"})
    rule = of_kind(rendered, "PrometheusRule")
    same("the rules' labels", rule["metadata"]["labels"], {"release": "prometheus"})
    for group in alerts["groups"]:
        for alert in group["rules"]:
            annotations = alert["annotations"]
            annotations["runbook_url"] = "https://wiki.example.com/" + annotations["runbook_url"]
    same("the alerts with their runbooks", rule["spec"], alerts)
    pods = of_kind(rendered, "PodMonitor")["spec"]
    same("the brokers' labels", pods["selector"]["matchLabels"], {"app": "pulsar", "component": "broker"})
    same("whose namespace counts", pods["podMetricsEndpoints"][0].get("honorLabels"), True)


def pulsar(values, pulsars, ours):
    with open(values, encoding="utf-8") as file:
        image = yaml.safe_load(file)["images"]["broker"]
    rendered = objects(pulsars)
    brokers = of_kind(rendered, "StatefulSet", "pulsar-broker")["spec"]
    same("the operator's number of brokers", brokers["replicas"], 5)
    container = brokers["template"]["spec"]["containers"][0]
    same("the brokers' image", container["image"], f"{image['repository']}:{image['tag']}")
    settings = of_kind(rendered, "ConfigMap", "pulsar-broker")["data"]
    same("the operator's setting", settings["PULSAR_PREFIX_broadcastCursorTimeToLiveSeconds"], "86400")
    same("the interceptors, which are the image's", settings.get("brokerInterceptors"), None)
    labels = brokers["template"]["metadata"]["labels"]
    same("labels that our PodMonitor selects", [labels["app"], labels["component"]], ["pulsar", "broker"])
    scraped = of_kind(rendered, "PodMonitor", "pulsar-broker")["spec"]
    same("scraping of the brokers by Pulsar's chart", scraped["selector"]["matchLabels"]["component"], "broker")
    both = {(one["kind"], one["metadata"]["name"]) for one in rendered}
    same("names that both have", [one for one in objects(ours) if (one["kind"], one["metadata"]["name"]) in both], [])


{"monitoring": monitoring, "pulsar": pulsar}[sys.argv[1]](*sys.argv[2:])
