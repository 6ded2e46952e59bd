/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.ledger;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.pulsar.common.naming.TopicDomain;
import org.apache.pulsar.common.naming.TopicName;
import org.apache.pulsar.common.util.Codec;

/**
 * Names of positions logs, which are managed ledgers. No two subscriptions have the same, nor have
 * two logs of one subscription.
 */
final class PositionsLogName {

  /**
   * Where the logs of all topics are, in the form of a namespace that is nobody's: inside the
   * topic's own namespace they would show in listings, or be in the way when it is deleted.
   */
  private static final String FOLDER = "pulsar-broadcast/positions/logs/";

  private static final String FORMER_FOLDER = "pulsar-broadcast/positions/persistent/";

  /** Where the broker's metadata store has managed ledgers. */
  private static final String METADATA = "/managed-ledgers/";

  /** Not among the characters of an encoded name. */
  private static final char SEPARATOR = '~';

  private PositionsLogName() {}

  /** A name for a further log of a subscription. */
  static String newGeneration() {
    return Long.toHexString(ThreadLocalRandom.current().nextLong());
  }

  /** The managed ledger's name. */
  static String of(String topic, String subscription, String generation) {
    return FOLDER + Codec.encode(topic) + '/' + fileOf(subscription, generation);
  }

  /** The same within the topic's folder. */
  static String fileOf(String subscription, String generation) {
    return Codec.encode(subscription) + SEPARATOR + generation;
  }

  static boolean isOf(String file, String subscription) {
    return file.startsWith(Codec.encode(subscription) + SEPARATOR);
  }

  /** The name of the cursor of the subscription whose log it is. */
  static String cursorOf(String file) {
    return file.substring(0, file.indexOf(SEPARATOR));
  }

  /** The managed ledger's name of what {@link #metadataFolder} lists. */
  static String ofFile(String topic, String file) {
    return FOLDER + Codec.encode(topic) + '/' + file;
  }

  /** Whose children in the metadata store are the logs of a topic. */
  static String metadataFolder(String topic) {
    return METADATA + FOLDER + Codec.encode(topic);
  }

  /** Whose children in the metadata store are the cursors of a topic. */
  static String metadataOf(String topic) {
    return METADATA + TopicName.get(topic).getPersistenceNamingEncoding();
  }

  /** The name until version 2 of the format, which another subscription can have too. */
  static String former(String topic, String subscription) {
    return FORMER_FOLDER + Codec.encode(topic) + '-' + Codec.encode(subscription);
  }

  /** Where the metadata store has a log. */
  static String metadataOfLog(String name) {
    return METADATA + name;
  }

  /** A topic's subscription; both names as users write them. */
  record Owner(String topic, String subscription) {
    /** Where the metadata store has its cursor. */
    String metadata() {
      return metadataOf(topic) + '/' + Codec.encode(subscription);
    }
  }

  /** Other subscriptions whose former log would have the same name; there may be none of them. */
  static List<Owner> othersOfFormer(String topic, String subscription) {
    List<Owner> others = new ArrayList<>();
    String joined = Codec.encode(topic) + '-' + Codec.encode(subscription);
    for (int at = joined.indexOf('-'); at >= 0; at = joined.indexOf('-', at + 1)) {
      String other = Codec.decode(joined.substring(0, at));
      String cursor = joined.substring(at + 1);
      if (!other.equals(topic) && isTopic(other) && isInStore(cursor)) {
        others.add(new Owner(other, Codec.decode(cursor)));
      }
    }
    return others;
  }

  private static boolean isTopic(String name) {
    try {
      return name.startsWith(TopicDomain.persistent.value() + "://")
          && isInStore(TopicName.get(name).getEncodedLocalName());
    } catch (RuntimeException e) {
      return false;
    }
  }

  /**
   * Whether something of this encoded name can be in the metadata store: it takes no path that ends
   * with a slash, ZooKeeper none with a dot or two for a name. To ask for one of them fails.
   */
  private static boolean isInStore(String encoded) {
    return !encoded.isEmpty() && !encoded.equals(".") && !encoded.equals("..");
  }
}
