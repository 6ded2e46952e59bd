/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * A topic and its shadow topics (PIP-180), and which of them a consumer uses. Immutable.
 *
 * <p>That is rendezvous hashing (Thaler and Ravishankar, "Using Name-Based Mappings to Increase Hit
 * Rates", 1998): each topic has a score for the consumer's name, and the highest wins. So each has
 * about as many consumers as any other, and when one comes or goes, only those move that come to it
 * or were there. The score is the first eight bytes of SHA-256 of topic, line feed and name in
 * UTF-8, as an unsigned number; any program can compute it.
 */
final class ShadowTopics {
  private static final String PERSISTENT = "persistent://";

  private final String source;
  private final Set<String> all;

  private ShadowTopics(String source, Set<String> all) {
    this.source = source;
    this.all = all;
  }

  /**
   * @param shadows of the source, in any order; a topic that is named twice counts once
   * @throws IllegalArgumentException if a topic is not persistent, or has no name
   */
  static ShadowTopics of(String source, Collection<String> shadows) {
    String whole = whole(source);
    Set<String> all = new LinkedHashSet<>();
    all.add(whole);
    requireNonNull(shadows, "shadowTopics").forEach(shadow -> all.add(whole(shadow)));
    return new ShadowTopics(whole, all);
  }

  String source() {
    return source;
  }

  /** The topic that a consumer subscribes. */
  String topicOf(String consumerName) {
    return all.stream()
        .max(
            Comparator.<String>comparingLong(topic -> score(topic, consumerName) ^ Long.MIN_VALUE)
                .thenComparing(Comparator.naturalOrder()))
        .orElseThrow();
  }

  private static long score(String topic, String consumerName) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256")
              .digest((topic + "\n" + consumerName).getBytes(UTF_8));
      return ByteBuffer.wrap(hash).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has it", e);
    }
  }

  /** The one way to write a topic's name, as the client takes it. */
  private static String whole(String topic) {
    String trimmed = requireNonNull(topic, "topic").trim();
    boolean isWhole = trimmed.startsWith(PERSISTENT);
    String path = isWhole ? trimmed.substring(PERSISTENT.length()) : trimmed;
    if (!isWhole && path.matches("[^/]+")) {
      return PERSISTENT + "public/default/" + path;
    }
    if (!path.matches("[^/]+/[^/]+/[^/]+")) {
      throw unknown(topic);
    }
    return PERSISTENT + path;
  }

  private static IllegalArgumentException unknown(String topic) {
    return new IllegalArgumentException(
        "Topic '"
            + topic
            + "' with shadow topics: allowed are persistent://tenant/namespace/topic,"
            + " tenant/namespace/topic and topic");
  }
}
