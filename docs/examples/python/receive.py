# Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0
"""A consumer of a Broadcast subscription with the stock Python client.

It receives the messages of docs/examples/java's Publish, whose payloads begin
with their number, checks that every one comes once and in order, and
acknowledges each.
"""

import argparse
import sys

import pulsar

RECEIVE_TIMEOUT_MILLIS = 60_000
# How long to wait for a message too many.
QUIET_MILLIS = 1_000


def receive_number(consumer, timeout_millis):
    """Receive a message, acknowledge it, return the number its payload begins with."""
    message = consumer.receive(timeout_millis=timeout_millis)
    consumer.acknowledge(message)
    return int(message.data().split(b" ", 1)[0])


def receive(consumer, messages):
    """Return what went wrong, or None."""
    for expected in range(messages):
        try:
            number = receive_number(consumer, RECEIVE_TIMEOUT_MILLIS)
        except pulsar.Timeout:
            return f"{expected} of {messages} received, then nothing for {RECEIVE_TIMEOUT_MILLIS} ms"
        if number != expected:
            return f"received message {number} instead of {expected}"
    try:
        return f"received message {receive_number(consumer, QUIET_MILLIS)} after the last"
    except pulsar.Timeout:
        return None


def main():
    parser = argparse.ArgumentParser(description="A consumer of a Broadcast subscription.")
    for name in ("service_url", "topic", "subscription", "consumer_name", "messages"):
        parser.add_argument(name, metavar=name.upper())
    args = parser.parse_args()
    if not args.messages.isdecimal():
        parser.exit(2, f"MESSAGES is {args.messages}; allowed: a whole number, 0 or more\n")
    messages = int(args.messages)

    client = pulsar.Client(
        args.service_url, logger=pulsar.ConsoleLogger(pulsar.LoggerLevel.Warn)
    )
    try:
        consumer = client.subscribe(
            args.topic,
            args.subscription,
            consumer_type=pulsar.ConsumerType.Exclusive,
            consumer_name=args.consumer_name,
            # The one line that makes it Broadcast.
            properties={"pulsar.subscription.type": "Broadcast"},
        )
        print("subscribed", flush=True)
        error = receive(consumer, messages)
    finally:
        client.close()
    if error:
        sys.exit(error)
    print(f"received {messages} in order")


if __name__ == "__main__":
    main()
