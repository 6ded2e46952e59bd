// Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0

// A consumer of a Broadcast subscription with the stock Go client.
//
// It receives the messages of docs/examples/java's Publish, whose payloads begin with their number,
// checks that every one comes once and in order, and acknowledges each.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/apache/pulsar-client-go/pulsar"
)

const (
	receiveTimeout = 60 * time.Second
	// How long to wait for a message too many.
	quietTime = time.Second
)

func main() {
	if len(os.Args) != 6 {
		fmt.Fprintln(os.Stderr, "usage: broadcast-example SERVICE_URL TOPIC SUBSCRIPTION CONSUMER_NAME MESSAGES")
		os.Exit(2)
	}
	messages, err := strconv.Atoi(os.Args[5])
	if err != nil || messages < 0 {
		fmt.Fprintf(os.Stderr, "MESSAGES is %s; allowed: a whole number, 0 or more\n", os.Args[5])
		os.Exit(2)
	}
	if err := receive(os.Args[1], os.Args[2], os.Args[3], os.Args[4], messages); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("received %d in order\n", messages)
}

func receive(serviceURL, topic, subscription, name string, messages int) error {
	client, err := pulsar.NewClient(pulsar.ClientOptions{URL: serviceURL})
	if err != nil {
		return err
	}
	defer client.Close()

	consumer, err := client.Subscribe(pulsar.ConsumerOptions{
		Topic:            topic,
		SubscriptionName: subscription,
		Name:             name,
		Type:             pulsar.Exclusive,
		// The one line that makes it Broadcast.
		Properties: map[string]string{"pulsar.subscription.type": "Broadcast"},
	})
	if err != nil {
		return err
	}
	defer consumer.Close()
	fmt.Println("subscribed")

	for expected := 0; expected < messages; expected++ {
		number, err := receiveNumber(consumer, receiveTimeout)
		if err != nil {
			return fmt.Errorf("%d of %d received: %w", expected, messages, err)
		}
		if number != expected {
			return fmt.Errorf("received message %d instead of %d", number, expected)
		}
	}
	switch number, err := receiveNumber(consumer, quietTime); {
	case err == nil:
		return fmt.Errorf("received message %d after the last", number)
	case !errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return nil
}

// receiveNumber receives a message, acknowledges it, and returns the number its payload begins with.
func receiveNumber(consumer pulsar.Consumer, timeout time.Duration) (int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	message, err := consumer.Receive(ctx)
	if err != nil {
		return 0, err
	}
	if err := consumer.Ack(message); err != nil {
		return 0, err
	}
	digits, _, _ := bytes.Cut(message.Payload(), []byte(" "))
	return strconv.Atoi(string(digits))
}
