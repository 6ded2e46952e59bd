// Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0

// A consumer of a Broadcast subscription with the stock C++ client.
//
// It receives the messages of docs/examples/java's Publish, whose payloads begin with their number,
// checks that every one comes once and in order, and acknowledges each.

#include <pulsar/Client.h>
#include <pulsar/ConsoleLoggerFactory.h>

#include <charconv>
#include <iostream>
#include <stdexcept>
#include <string>

namespace {

constexpr int receiveTimeoutMillis = 60000;
// How long to wait for a message too many.
constexpr int quietMillis = 1000;
constexpr long none = -1;

void check(pulsar::Result result, const std::string& what) {
    if (result != pulsar::ResultOk) {
        throw std::runtime_error(what + ": " + pulsar::strResult(result));
    }
}

// Receives a message, acknowledges it, and returns the number its payload begins with; none when
// none came in time.
long receiveNumber(pulsar::Consumer& consumer, int timeoutMillis) {
    pulsar::Message message;
    pulsar::Result result = consumer.receive(message, timeoutMillis);
    if (result == pulsar::ResultTimeout) {
        return none;
    }
    check(result, "receive");
    check(consumer.acknowledge(message), "acknowledge");
    return std::stol(message.getDataAsString());
}

void receive(pulsar::Consumer& consumer, long messages) {
    for (long expected = 0; expected < messages; expected++) {
        long number = receiveNumber(consumer, receiveTimeoutMillis);
        if (number == none) {
            throw std::runtime_error(std::to_string(expected) + " of " + std::to_string(messages) +
                                     " received, then nothing for " + std::to_string(receiveTimeoutMillis) +
                                     " ms");
        }
        if (number != expected) {
            throw std::runtime_error("received message " + std::to_string(number) + " instead of " +
                                     std::to_string(expected));
        }
    }
    long surplus = receiveNumber(consumer, quietMillis);
    if (surplus != none) {
        throw std::runtime_error("received message " + std::to_string(surplus) + " after the last");
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 6) {
        std::cerr << "usage: receive SERVICE_URL TOPIC SUBSCRIPTION CONSUMER_NAME MESSAGES\n";
        return 2;
    }
    const std::string count = argv[5];
    const char* const countEnd = count.data() + count.size();
    long messages = 0;
    const auto parsed = std::from_chars(count.data(), countEnd, messages);
    if (parsed.ec != std::errc() || parsed.ptr != countEnd || messages < 0) {
        std::cerr << "MESSAGES is " << count << "; allowed: a whole number, 0 or more\n";
        return 2;
    }
    try {
        pulsar::ClientConfiguration clientConfiguration;
        clientConfiguration.setLogger(new pulsar::ConsoleLoggerFactory(pulsar::Logger::LEVEL_WARN));
        pulsar::Client client(argv[1], clientConfiguration);

        pulsar::ConsumerConfiguration configuration;
        configuration.setConsumerType(pulsar::ConsumerExclusive);
        configuration.setConsumerName(argv[4]);
        // The one line that makes it Broadcast.
        configuration.setProperty("pulsar.subscription.type", "Broadcast");
        pulsar::Consumer consumer;
        check(client.subscribe(argv[2], argv[3], configuration, consumer), "subscribe");
        std::cout << "subscribed" << std::endl;
        receive(consumer, messages);
        check(client.close(), "close");
        std::cout << "received " << messages << " in order" << std::endl;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    return 0;
}
