/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */

/**
 * Broadcast subscriptions for Spring for Apache Pulsar. Spring Boot finds {@link
 * io.pulsarbroadcast.spring.BroadcastAutoConfiguration}; listeners name its beans, which are {@link
 * io.pulsarbroadcast.spring.BroadcastCustomizer}s and {@link
 * io.pulsarbroadcast.spring.ReactiveBroadcastCustomizer}s.
 */
package io.pulsarbroadcast.spring;
