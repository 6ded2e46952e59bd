#!/usr/bin/env python3
# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0
"""Says what in a dashboard does not fit Grafana's schema: check.py DASHBOARD.

grafana-foundation-sdk has the classes that Grafana generates from its schemas of dashboards, panels and queries. They
read everything: a field that the schema does not have gets lost when the dashboard is written again, and a value that
the schema does not allow differs from the type that its attribute declares.
"""

import enum
import json
import sys
import types
import typing

from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard, Panel


def lost(ours, read, path):
    """The fields that got lost, and values that changed."""
    if isinstance(ours, dict) and isinstance(read, dict):
        for key, value in ours.items():
            if key in read:
                yield from lost(value, read[key], f"{path}.{key}")
            else:
                yield f"{path}.{key} is not in the schema"
    elif isinstance(ours, list) and isinstance(read, list) and len(ours) == len(read):
        for number, (one, other) in enumerate(zip(ours, read)):
            yield from lost(one, other, f"{path}[{number}]")
    elif ours != read:
        yield f"{path} is {json.dumps(ours)}, which is read as {json.dumps(read)}"


def wrong(value, declared, path):
    """The values that are not of the declared type."""
    parts = typing.get_args(declared)
    kind = typing.get_origin(declared) or declared
    if kind in (typing.Union, types.UnionType):
        # The alternative that is meant; of several that could be, or when it is none, the closest.
        meant = [part for part in parts if isinstance(typing.get_origin(part) or part, type)
                 and isinstance(value, typing.get_origin(part) or part)]
        yield from min((list(wrong(value, part, path)) for part in meant or parts), key=len)
    elif kind is typing.Literal:
        if value not in parts:
            yield f"{path} is {value!r}; allowed are {parts}"
    elif kind is list and isinstance(value, list):
        for number, element in enumerate(value):
            yield from wrong(element, parts[0], f"{path}[{number}]")
    elif kind is dict and isinstance(value, dict):
        for key, element in value.items():
            yield from wrong(element, parts[1], f"{path}.{key}")
    elif issubclass(kind, enum.Enum):
        if value not in [member.value for member in kind]:
            yield f"{path} is {value!r}; allowed are {[member.value for member in kind]}"
    elif kind is float and isinstance(value, int) and not isinstance(value, bool):
        pass
    elif kind is int and isinstance(value, bool) or kind is not object and not isinstance(value, kind):
        yield f"{path} is {value!r}, not of type {kind.__name__}"
    elif hasattr(value, "to_json"):
        for name, attribute in typing.get_type_hints(type(value)).items():
            yield from wrong(getattr(value, name), attribute, f"{path}.{name}")


def main(path):
    register_default_plugins()
    with open(path, encoding="utf-8") as file:
        ours = json.load(file)
    dashboard = Dashboard.from_json(ours)
    read = json.loads(JSONEncoder().encode(dashboard))
    problems = [*lost(ours, read, ""), *wrong(dashboard, Dashboard, "")]
    problems += [
        f".panels: {panel.type_val!r} is no panel of Grafana's own"
        for panel in dashboard.panels
        if isinstance(panel, Panel) and not hasattr(panel.options, "to_json")
    ]
    if problems:
        sys.exit("\n".join(f"{path}: {problem}" for problem in problems))


main(sys.argv[1])
