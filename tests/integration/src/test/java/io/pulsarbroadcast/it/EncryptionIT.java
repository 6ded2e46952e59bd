/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.receiveValues;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.util.Base64;
import java.util.List;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.ConsumerCryptoFailureAction;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionType;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I1 with end-to-end encryption: the broker hands on what only the consumers can read. */
@ExtendWith(BrokerExtension.class)
class EncryptionIT {

  @Test
  void shouldDeliverEncryptedMessagesToEveryConsumerWithTheKey(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    KeyPair keys = newKeys();
    try (Consumer<String> a = withKey(broker.broadcast(topic, "all", "a"), keys).subscribe();
        Consumer<String> b =
            withKey(broker.broadcast(topic, "all", "b"), keys)
                .subscriptionType(SubscriptionType.Shared)
                .subscribe()) {
      publishEncrypted(broker, topic, keys, values(0, 10));
      assertThat(receiveAndAck(a, 10)).isEqualTo(values(0, 10));
      assertThat(receiveAndAck(b, 10)).isEqualTo(values(0, 10));
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldHandAConsumerWithoutTheKeyTheEncryptedMessage(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    KeyPair keys = newKeys();
    try (Consumer<String> reader = withKey(broker.broadcast(topic, "all", "a"), keys).subscribe();
        Consumer<String> without =
            broker
                .broadcast(topic, "all", "b")
                .cryptoFailureAction(ConsumerCryptoFailureAction.CONSUME)
                .subscribe()) {
      publishEncrypted(broker, topic, keys, List.of("secret"));
      assertThat(receiveValues(reader, 1)).containsExactly("secret");

      Message<String> encrypted = receive(without, 1).get(0);
      assertThat(encrypted.getEncryptionCtx()).isPresent();
      assertThat(new String(encrypted.getData(), StandardCharsets.ISO_8859_1))
          .doesNotContain("secret");
    }
  }

  private static void publishEncrypted(
      Broker broker, String topic, KeyPair keys, List<String> values) throws PulsarClientException {
    try (Producer<String> producer =
        broker
            .client()
            .newProducer(Schema.STRING)
            .topic(topic)
            .addEncryptionKey("key")
            .defaultCryptoKeyReader(pem("PUBLIC KEY", keys.getPublic().getEncoded()))
            .create()) {
      for (String value : values) {
        producer.send(value);
      }
    }
  }

  private static ConsumerBuilder<String> withKey(ConsumerBuilder<String> consumer, KeyPair keys) {
    return consumer.defaultCryptoKeyReader(pem("RSA PRIVATE KEY", pkcs1(keys.getPrivate())));
  }

  /** The form in which openssl writes an RSA key, and which the client reads. */
  private static byte[] pkcs1(PrivateKey key) {
    try {
      return PrivateKeyInfo.getInstance(key.getEncoded())
          .parsePrivateKey()
          .toASN1Primitive()
          .getEncoded();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static KeyPair newKeys() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2048);
    return generator.generateKeyPair();
  }

  /** A key in PEM form, as the data URL that Pulsar's clients take. */
  private static String pem(String kind, byte[] key) {
    String text =
        "-----BEGIN %s-----\n%s\n-----END %s-----\n"
            .formatted(kind, Base64.getMimeEncoder().encodeToString(key), kind);
    return "data:application/x-pem-file;base64,"
        + Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
  }
}
