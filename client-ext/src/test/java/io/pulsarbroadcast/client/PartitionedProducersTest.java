/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.pulsar.client.api.HashingScheme;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageRouter;
import org.apache.pulsar.client.api.MessageRoutingMode;
import org.apache.pulsar.client.api.ProducerBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.TopicMetadata;
import org.apache.pulsar.client.impl.Murmur3Hash32;
import org.apache.pulsar.client.impl.ProducerBuilderImpl;
import org.apache.pulsar.client.impl.conf.ProducerConfigurationData;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which partitions are chosen, and what becomes of a builder, on the client of each line. */
class PartitionedProducersTest {
  private static final String TOPIC = "persistent://city/traffic/areas";
  private static final int PARTITIONS = 30;
  private static final int MESSAGES = 3_000;
  private static final TopicMetadata METADATA = () -> PARTITIONS;

  private static PulsarClient client;

  @BeforeAll
  static void makeAClientThatConnectsToNothing() throws PulsarClientException {
    client = PulsarClient.builder().serviceUrl("pulsar://127.0.0.1:1").build();
  }

  @AfterAll
  static void closeIt() throws PulsarClientException {
    client.close();
  }

  @Test
  void shouldSpreadMessagesWithoutAKeyEvenlyOverTheLimit() {
    MessageRouter router = router(limited(3));

    assertThat(counts(router, METADATA))
        .hasSize(3)
        .allSatisfy((p, n) -> assertThat(n).isEqualTo(1_000L));
  }

  @Test
  void shouldChooseAnewForEachBuilder() {
    long choices =
        IntStream.range(0, 20)
            .mapToObj(i -> counts(router(limited(3)), METADATA).keySet())
            .distinct()
            .count();

    assertThat(choices).isGreaterThan(10); // of 20, where there are 4,060
  }

  @Test
  void shouldSendAKeyWhereTheDefaultRouterSendsItWhateverTheLimit() {
    MessageRouter router = router(limited(3));

    for (int i = 0; i < MESSAGES; i++) {
      String key = "car-" + i;
      assertThat(router.choosePartition(message(TOPIC, key), METADATA))
          .isEqualTo((key.hashCode() & Integer.MAX_VALUE) % PARTITIONS);
    }
  }

  @Test
  void shouldHashKeysAsTheOtherProducersDo() {
    MessageRouter router =
        router(
            PartitionedProducers.limitPartitions(
                client.newProducer(), 3, HashingScheme.Murmur3_32Hash));

    for (int i = 0; i < MESSAGES; i++) {
      String key = "car-" + i;
      assertThat(router.choosePartition(message(TOPIC, key), METADATA))
          .isEqualTo(
              Murmur3Hash32.getInstance().makeHash(key.getBytes(StandardCharsets.UTF_8))
                  % PARTITIONS);
    }
  }

  @Test
  void shouldUseAllPartitionsOfATopicThatHasNoMoreThanTheLimit() {
    assertThat(counts(router(limited(5)), () -> 2)).containsOnlyKeys(0, 1);
  }

  @Test
  void shouldTakeAddedPartitionsUpToTheLimitAndKeepTheOthers() {
    MessageRouter router = router(limited(5));
    counts(router, () -> 2);

    Map<Integer, Long> more = counts(router, METADATA);
    assertThat(more).hasSize(5).containsKeys(0, 1);
    assertThat(counts(router, () -> 2 * PARTITIONS))
        .containsOnlyKeys(more.keySet().toArray(Integer[]::new));
  }

  /** As another producer of the builder may, or one that was there before they were added. */
  @Test
  void shouldChooseNoPartitionThatAProducerDoesNotKnow() {
    MessageRouter router = router(limited(3));
    counts(router, () -> 2);
    counts(router, METADATA);

    assertThat(counts(router, () -> 2)).containsOnlyKeys(0, 1);
  }

  @Test
  void shouldChooseAnewWhenATopicIsMadeAgainWithFewerPartitions() {
    MessageRouter router = router(limited(3));
    counts(router, METADATA);

    assertThat(counts(router, () -> 1)).containsOnlyKeys(0);
    assertThat(counts(router, METADATA)).hasSize(3);
  }

  @Test
  void shouldChooseForEachTopicOfABuilder() {
    MessageRouter router = router(limited(3));
    counts(router, METADATA);

    assertThat(counts(router, TOPIC + "-of-three", () -> 3)).containsOnlyKeys(0, 1, 2);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
  void shouldRefuseALimitBelowOne(int partitions) {
    assertThatThrownBy(() -> limited(partitions))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("partitions is " + partitions + "; allowed: 1 or more");
  }

  @Test
  void shouldReplaceTheRouterAndModeOfTheBuilderAndStartLazily() {
    ProducerBuilder<byte[]> builder =
        client
            .newProducer()
            .messageRoutingMode(MessageRoutingMode.SinglePartition)
            .messageRouter(new FirstPartition());

    assertThat(PartitionedProducers.limitPartitions(builder, 3)).isSameAs(builder);
    ProducerConfigurationData conf = conf(builder);
    assertThat(conf.isLazyStartPartitionedProducers()).isTrue();
    assertThat(conf.getMessageRoutingMode()).isEqualTo(MessageRoutingMode.CustomPartition);
    assertThat(counts(router(builder), METADATA)).hasSize(3);
  }

  @Test
  void shouldShareTheChoiceWithClones() {
    ProducerBuilder<byte[]> builder = limited(3);
    ProducerBuilder<byte[]> clone = builder.clone();

    assertThat(conf(clone).isLazyStartPartitionedProducers()).isTrue();
    assertThat(counts(router(clone), METADATA).keySet())
        .isEqualTo(counts(router(builder), METADATA).keySet());
  }

  @Test
  void shouldKeepWhatWasLoadedBefore() {
    ProducerBuilder<byte[]> builder =
        client.newProducer().loadConf(Map.of("producerName", "gauge", "batchingEnabled", false));

    ProducerConfigurationData conf = conf(PartitionedProducers.limitPartitions(builder, 3));
    assertThat(conf.getProducerName()).isEqualTo("gauge");
    assertThat(conf.isBatchingEnabled()).isFalse();
  }

  /** Pulsar's own doing: it neither limits in silence nor sends to all. */
  @Test
  void shouldFailToCreateWhenTheRouterWasDroppedAfterwards() {
    ProducerBuilder<byte[]> loaded = limited(3).topic(TOPIC).loadConf(Map.of("producerName", "x"));
    ProducerBuilder<byte[]> changed =
        limited(3).topic(TOPIC).messageRoutingMode(MessageRoutingMode.RoundRobinPartition);

    for (ProducerBuilder<byte[]> builder : List.of(loaded, changed)) {
      assertThatThrownBy(builder::create)
          .isInstanceOf(PulsarClientException.class)
          .hasMessageContaining("CustomPartition");
    }
  }

  @Test
  void shouldSayWhatAClientLacks() throws Exception {
    Class<?> type =
        new WithoutRouters().loadClass("io.pulsarbroadcast.client.PartitionedProducers");

    assertThatThrownBy(
            () ->
                type.getMethod("limitPartitions", ProducerBuilder.class, int.class)
                    .invoke(null, client.newProducer(), 3))
        .isInstanceOf(InvocationTargetException.class)
        .cause()
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessage(
            "This Pulsar client has no"
                + " org.apache.pulsar.client.impl.customroute.PartialRoundRobinMessageRouterImpl;"
                + " use pulsar-client 3.0 or later");
  }

  private static ProducerBuilder<byte[]> limited(int partitions) {
    return PartitionedProducers.limitPartitions(client.newProducer(), partitions);
  }

  private static ProducerConfigurationData conf(ProducerBuilder<byte[]> builder) {
    return ((ProducerBuilderImpl<byte[]>) builder).getConf();
  }

  private static MessageRouter router(ProducerBuilder<byte[]> builder) {
    return conf(builder).getCustomMessageRouter();
  }

  private static Map<Integer, Long> counts(MessageRouter router, TopicMetadata metadata) {
    return counts(router, TOPIC, metadata);
  }

  /** Messages without a key by partition. */
  private static Map<Integer, Long> counts(
      MessageRouter router, String topic, TopicMetadata metadata) {
    return IntStream.range(0, MESSAGES)
        .mapToObj(i -> router.choosePartition(message(topic, null), metadata))
        .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
  }

  private static Message<?> message(String topic, String key) {
    return (Message<?>)
        Proxy.newProxyInstance(
            PartitionedProducersTest.class.getClassLoader(),
            new Class<?>[] {Message.class},
            (proxy, method, args) ->
                switch (method.getName()) {
                  case "hasKey" -> key != null;
                  case "getKey" -> key;
                  case "getTopicName" -> topic;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private static final class FirstPartition implements MessageRouter {
    private static final long serialVersionUID = 1L;

    @Override
    public int choosePartition(Message<?> message, TopicMetadata metadata) {
      return 0;
    }
  }

  /** Has the classes under test, and of the client everything but its own routers. */
  private static final class WithoutRouters extends ClassLoader {
    WithoutRouters() {
      super(PartitionedProducersTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.startsWith("org.apache.pulsar.client.impl.customroute.")) {
        throw new ClassNotFoundException(name);
      }
      if (!name.equals("io.pulsarbroadcast.client.PartitionedProducers")) {
        return super.loadClass(name, resolve);
      }
      try (InputStream file = getResourceAsStream(name.replace('.', '/') + ".class")) {
        byte[] bytes = file.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }
}
