#!/usr/bin/env python3
# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0
"""Puts environment variables into properties files: apply-config-from-env.py FILE...

The server distribution does not have the script of this name that Pulsar's images have, and on which Testcontainers, the
Helm chart and our compose file rely. A variable replaces the line of a key that the file has, commented out or not;
one that begins with PULSAR_PREFIX_ also adds a key, which is the rest of its name.
"""

import os
import re
import sys

PREFIX = "PULSAR_PREFIX_"
KEY = re.compile(r"#?\s*([A-Za-z][\w.\-]*)\s*=")


def apply(path):
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    line_of_key = {}
    for number, line in enumerate(lines):
        match = KEY.match(line)
        if match and (not line.startswith("#") or match.group(1) not in line_of_key):
            line_of_key[match.group(1)] = number
    for name, value in sorted(os.environ.items()):
        key = name[len(PREFIX):] if name.startswith(PREFIX) else name
        if key in line_of_key:
            lines[line_of_key[key]] = f"{key}={value}"
        elif key != name:
            lines.append(f"{key}={value}")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


if len(sys.argv) < 2:
    sys.exit(f"Usage: {sys.argv[0]} FILE...")
for argument in sys.argv[1:]:
    apply(argument)
