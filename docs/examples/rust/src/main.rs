// Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0

//! A consumer of a Broadcast subscription with the Rust client, pulsar-rs.
//!
//! It receives the messages of docs/examples/java's Publish, whose payloads begin with their number,
//! checks that every one comes once and in order, and acknowledges each.

use std::collections::BTreeMap;
use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use futures::TryStreamExt;
use pulsar::{Consumer, ConsumerOptions, Pulsar, SubType, TokioExecutor};

const RECEIVE_TIMEOUT: Duration = Duration::from_secs(60);

/// How long to wait for a message too many.
const QUIET_TIME: Duration = Duration::from_secs(1);

type Bytes = Consumer<Vec<u8>, TokioExecutor>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [service_url, topic, subscription, name, messages] = args.as_slice() else {
        eprintln!("usage: broadcast-example SERVICE_URL TOPIC SUBSCRIPTION CONSUMER_NAME MESSAGES");
        return ExitCode::from(2);
    };
    let Ok(messages) = messages.parse() else {
        eprintln!("MESSAGES is {messages}; allowed: a whole number, 0 or more");
        return ExitCode::from(2);
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    match runtime.block_on(run(service_url, topic, subscription, name, messages)) {
        Ok(()) => {
            println!("received {messages} in order");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(
    service_url: &str,
    topic: &str,
    subscription: &str,
    name: &str,
    messages: usize,
) -> Result<(), Box<dyn Error>> {
    let client = Pulsar::builder(service_url, TokioExecutor).build().await?;
    let mut consumer: Bytes = client
        .consumer()
        .with_topic(topic)
        .with_subscription(subscription)
        .with_consumer_name(name)
        .with_subscription_type(SubType::Exclusive)
        .with_options(ConsumerOptions {
            // The one line that makes it Broadcast.
            metadata: BTreeMap::from([("pulsar.subscription.type".into(), "Broadcast".into())]),
            ..Default::default()
        })
        .build()
        .await?;
    println!("subscribed");
    receive(&mut consumer, messages).await?;
    consumer.close().await?;
    Ok(())
}

async fn receive(consumer: &mut Bytes, messages: usize) -> Result<(), Box<dyn Error>> {
    for expected in 0..messages {
        match receive_number(consumer, RECEIVE_TIMEOUT).await? {
            None => {
                return Err(format!(
                    "{expected} of {messages} received, then nothing for {RECEIVE_TIMEOUT:?}"
                )
                .into());
            }
            Some(number) if number != expected => {
                return Err(format!("received message {number} instead of {expected}").into());
            }
            Some(_) => {}
        }
    }
    match receive_number(consumer, QUIET_TIME).await? {
        Some(number) => Err(format!("received message {number} after the last").into()),
        None => Ok(()),
    }
}

/// Receives a message, acknowledges it, and returns the number its payload begins with; None when
/// none came in time.
async fn receive_number(
    consumer: &mut Bytes,
    wait: Duration,
) -> Result<Option<usize>, Box<dyn Error>> {
    let Ok(received) = tokio::time::timeout(wait, consumer.try_next()).await else {
        return Ok(None);
    };
    let message = received?.ok_or("the consumer has ended")?;
    consumer.ack(&message).await?;
    let payload = message.deserialize();
    let digits = payload
        .split(|byte| *byte == b' ')
        .next()
        .unwrap_or_default();
    Ok(Some(std::str::from_utf8(digits)?.parse()?))
}
