/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */

/**
 * Broadcast subscriptions for Spring for Apache Pulsar. Spring Boot finds {@link
 * io.pulsarbroadcast.spring.BroadcastAutoConfiguration}; applications name its beans, and call
 * nothing here.
 */
package io.pulsarbroadcast.spring;
