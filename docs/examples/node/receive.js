// Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0

// A consumer of a Broadcast subscription with the stock Node.js client.
//
// It receives the messages of docs/examples/java's Publish, whose payloads begin with their number,
// checks that every one comes once and in order, and acknowledges each.
'use strict';

const Pulsar = require('pulsar-client');

const RECEIVE_TIMEOUT_MILLIS = 60_000;
// How long to wait for a message too many.
const QUIET_MILLIS = 1_000;

/** Receives a message, acknowledges it, and returns the number its payload begins with; null when none came in time. */
async function receiveNumber(consumer, timeoutMillis) {
  let message;
  try {
    message = await consumer.receive(timeoutMillis);
  } catch (error) {
    // The client has no code for it.
    if (error.message.includes('TimeOut')) {
      return null;
    }
    throw error;
  }
  await consumer.acknowledge(message);
  return Number(message.getData().toString('latin1').split(' ', 1)[0]);
}

async function receive(consumer, messages) {
  for (let expected = 0; expected < messages; expected++) {
    const number = await receiveNumber(consumer, RECEIVE_TIMEOUT_MILLIS);
    if (number === null) {
      throw new Error(`${expected} of ${messages} received, then nothing for ${RECEIVE_TIMEOUT_MILLIS} ms`);
    }
    if (number !== expected) {
      throw new Error(`received message ${number} instead of ${expected}`);
    }
  }
  const surplus = await receiveNumber(consumer, QUIET_MILLIS);
  if (surplus !== null) {
    throw new Error(`received message ${surplus} after the last`);
  }
}

async function main(args) {
  if (args.length !== 5) {
    console.error('usage: node receive.js SERVICE_URL TOPIC SUBSCRIPTION CONSUMER_NAME MESSAGES');
    process.exit(2);
  }
  const [serviceUrl, topic, subscription, consumerName, count] = args;
  if (!/^\d+$/.test(count)) {
    console.error(`MESSAGES is ${count}; allowed: a whole number, 0 or more`);
    process.exit(2);
  }
  const messages = Number(count);
  Pulsar.Client.setLogHandler((level, file, line, message) => {
    if (level >= Pulsar.LogLevel.WARN) {
      console.error(message);
    }
  });
  const client = new Pulsar.Client({ serviceUrl });
  try {
    const consumer = await client.subscribe({
      topic,
      subscription,
      consumerName,
      subscriptionType: 'Exclusive',
      // The one line that makes it Broadcast.
      properties: { 'pulsar.subscription.type': 'Broadcast' },
    });
    console.log('subscribed');
    await receive(consumer, messages);
  } finally {
    await client.close();
  }
  console.log(`received ${messages} in order`);
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
