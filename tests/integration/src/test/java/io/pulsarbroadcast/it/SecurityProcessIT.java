/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.io.IOException;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.AuthenticationFactory;
import org.apache.pulsar.client.api.ClientBuilder;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.PulsarClientException.AuthenticationException;
import org.apache.pulsar.client.api.PulsarClientException.AuthorizationException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.common.policies.data.AuthAction;
import org.apache.pulsar.common.policies.data.ConsumerStats;
import org.apache.pulsar.common.policies.data.SubscriptionStats;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Broadcast consumers pass the authentication, authorization and TLS of any consumer; whoever is
 * refused leaves no trace (I3, I4, I9). A stock consumer beside shows what the broker does itself.
 */
@Order(1)
@Execution(ExecutionMode.CONCURRENT)
class SecurityProcessIT {

  private static final String MEMBER = "member";
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static SecureBroker broker;

  private String namespace;
  private String topic;

  /** Who must not get in, and how the stock client says so. */
  private enum Intruder {
    WITHOUT_PERMISSION(AuthorizationException.class) {
      @Override
      PulsarClient client(String namespace) throws IOException {
        return broker.client("stranger");
      }
    },
    PRODUCER_ONLY(AuthorizationException.class) {
      @Override
      PulsarClient client(String namespace) throws IOException, PulsarAdminException {
        broker.allow(namespace, "producer", AuthAction.produce);
        return broker.client("producer");
      }
    },
    WITH_EXPIRED_TOKEN(AuthenticationException.class) {
      @Override
      PulsarClient client(String namespace) throws IOException {
        String expired = broker.token(MEMBER, Duration.ofMinutes(-1));
        return broker.clientBuilder().authentication(AuthenticationFactory.token(expired)).build();
      }
    },
    WITHOUT_TOKEN(AuthenticationException.class) {
      @Override
      PulsarClient client(String namespace) throws IOException {
        return broker.clientBuilder().build();
      }
    },
    WITH_UNTRUSTED_CERTIFICATE(PulsarClientException.class) {
      @Override
      PulsarClient client(String namespace) throws IOException {
        return givingUpSoon(broker.tlsClientWithStrangersCertificate(MEMBER));
      }
    },
    WHO_DOES_NOT_TRUST_THE_BROKER(PulsarClientException.class) {
      @Override
      PulsarClient client(String namespace) throws IOException {
        return givingUpSoon(broker.tlsClientThatTrustsAnother(MEMBER));
      }
    };

    private final Class<?> refusal;

    Intruder(Class<?> refusal) {
      this.refusal = refusal;
    }

    abstract PulsarClient client(String namespace) throws IOException, PulsarAdminException;

    /** A client tries a failed handshake again until its operation timeout. */
    private static PulsarClient givingUpSoon(ClientBuilder client) throws IOException {
      return client
          .operationTimeout(4, TimeUnit.SECONDS)
          .lookupTimeout(4, TimeUnit.SECONDS)
          .build();
    }
  }

  @BeforeAll
  static void startBroker() throws Exception {
    broker = new SecureBroker();
  }

  @AfterAll
  static void stopBroker() throws IOException {
    if (broker != null) {
      broker.close();
    }
  }

  @BeforeEach
  void makeTopicOfMembers() throws Exception {
    namespace = broker.newNamespace();
    topic = "persistent://" + namespace + "/" + UUID.randomUUID();
    broker.allow(namespace, MEMBER, AuthAction.consume, AuthAction.produce);
  }

  @ParameterizedTest
  @EnumSource
  void shouldRefuseAsForStockTypesAndChangeNothing(Intruder intruder) throws Exception {
    try (PulsarClient members = broker.client(MEMBER);
        Consumer<String> member = Broker.broadcast(members, topic, "all", "a").subscribe()) {
      publish(members, topic, 0, 5);
      assertThat(receiveAndAck(member, 3)).isEqualTo(values(0, 3));
      awaitBacklog("all", 2);
      TopicState before = state();
      assertThat(before.counts())
          .containsEntry("pulsar.broadcast.consumers", "1")
          .containsEntry("pulsar.broadcast.positions.waiting", "0");

      try (PulsarClient client = intruder.client(namespace)) {
        Throwable stock =
            catchThrowable(client.newConsumer().topic(topic).subscriptionName("stock")::subscribe);
        assertThat(stock).isInstanceOf(intruder.refusal);
        assertThatThrownBy(Broker.broadcast(client, topic, "all", "a")::subscribe)
            .hasSameClassAs(stock);
        assertThatThrownBy(Broker.broadcast(client, topic, "another", "b")::subscribe)
            .hasSameClassAs(stock);
      }

      assertThat(state()).isEqualTo(before);
      publish(members, topic, 5, 10);
      assertThat(receiveAndAck(member, 7)).isEqualTo(values(3, 10));
      // A position of the intruder's would hold this back.
      awaitBacklog("all", 0);
    }
  }

  @Test
  void shouldRefuseARoleThatTheSubscriptionIsNotFor() throws Exception {
    broker.allow(namespace, "neighbour", AuthAction.consume);
    broker.admin().namespaces().grantPermissionOnSubscription(namespace, "all", Set.of(MEMBER));
    try (PulsarClient members = broker.client(MEMBER);
        PulsarClient neighbours = broker.client("neighbour");
        Consumer<String> member = Broker.broadcast(members, topic, "all", "a").subscribe()) {
      TopicState before = state();
      assertThatThrownBy(Broker.broadcast(neighbours, topic, "all", "b")::subscribe)
          .isInstanceOf(AuthorizationException.class);
      assertThat(state()).isEqualTo(before);

      try (Consumer<String> own = Broker.broadcast(neighbours, topic, "own", "b").subscribe()) {
        publish(members, topic, 0, 5);
        assertThat(receiveAndAck(member, 5)).isEqualTo(values(0, 5));
        assertThat(receiveAndAck(own, 5)).isEqualTo(values(0, 5));
      }
    }
  }

  /** As the broker answers its own calls, to the number; and nothing is changed. */
  @ParameterizedTest
  @ValueSource(strings = {"stranger", "producer", "neighbour", "expired", "forged", "nobody"})
  void shouldRefusePositionsAsTheBrokerRefusesItsOwnCalls(String who) throws Exception {
    broker.allow(namespace, "producer", AuthAction.produce);
    broker.allow(namespace, "neighbour", AuthAction.consume);
    broker.admin().namespaces().grantPermissionOnSubscription(namespace, "all", Set.of(MEMBER));
    String token =
        switch (who) {
          case "nobody" -> null;
          case "expired" -> broker.token(MEMBER, Duration.ofMinutes(-1));
          case "forged" -> broker.token(MEMBER) + "x";
          default -> broker.token(who);
        };
    try (PulsarClient members = broker.client(MEMBER)) {
      Broker.broadcast(members, topic, "all", "parked").subscribe().close();
      publish(members, topic, 0, 3);
      TopicState before = state();
      PositionsRequests theirs = new PositionsRequests(broker.adminUrl(), topic, "all", token);

      assertRefused(theirs);
      assertThat(state()).isEqualTo(before);
      PositionsRequests ours =
          new PositionsRequests(broker.adminUrl(), topic, "all", broker.token(MEMBER));
      assertAnswered(ours);
    }
  }

  /** As the broker's own calls are, by the same number. */
  private static void assertRefused(PositionsRequests theirs) throws Exception {
    assertThat(theirs.list().status()).isEqualTo(theirs.peek()).isEqualTo(401);
    assertThat(theirs.drop(Map.of("all", true)).status()).isEqualTo(theirs.delete()).isEqualTo(401);
    assertThat(theirs.move(Map.of("name", "parked", "to", "latest")).status())
        .isEqualTo(theirs.reset())
        .isEqualTo(401);
  }

  /** Moves the position over the three messages that it has not acknowledged, and drops it. */
  private static void assertAnswered(PositionsRequests ours) throws Exception {
    assertThat(ours.list().names()).containsExactly("parked");
    assertThat(ours.move(Map.of("name", "parked", "to", "latest")).number("skippedEntries"))
        .isEqualTo(3);
    assertThat(ours.drop(Map.of("all", true)).number("positions")).isEqualTo(1);
  }

  /** As the broker shows its own settings. */
  @ParameterizedTest
  @CsvSource({"admin, 200", "member, 401", "nobody, 401"})
  void shouldShowSettingsOnlyToSuperUsers(String who, int expected) throws Exception {
    String token = who.equals("nobody") ? null : broker.token(who);
    PositionsRequests theirs = new PositionsRequests(broker.adminUrl(), topic, "all", token);
    assertThat(theirs.settings().status())
        .isEqualTo(theirs.runtimeConfiguration())
        .isEqualTo(expected);
  }

  @Test
  void shouldAnswerForPositionsOverTlsOnlyWhoHasACertificate() throws Exception {
    try (PulsarClient members = broker.client(MEMBER)) {
      Broker.broadcast(members, topic, "all", "parked").subscribe().close();
    }
    assertThat(overTls(true, broker.token(MEMBER)).list().names()).containsExactly("parked");
    assertThat(overTls(true, broker.token("stranger")).list().status()).isEqualTo(401);
    assertThatThrownBy(overTls(false, broker.token(MEMBER))::list).isInstanceOf(IOException.class);
  }

  /** A certificate is asked for the permissions of its role when there is no token. */
  @Test
  void shouldRefusePositionsToACertificateAsTheBrokerRefusesItsOwnCalls() throws Exception {
    try (PulsarClient members = broker.client(MEMBER)) {
      Broker.broadcast(members, topic, "all", "parked").subscribe().close();
      publish(members, topic, 0, 3);
    }
    PositionsRequests theirs = overTls(true, null);
    Map<String, Object> move = Map.of("name", "parked", "to", "latest");
    TopicState before = state();

    assertThat(theirs.list().status()).isEqualTo(theirs.peek()).isEqualTo(401);
    assertThat(theirs.move(move).status()).isEqualTo(theirs.reset()).isEqualTo(401);
    assertThat(theirs.drop(Map.of("all", true)).status()).isEqualTo(theirs.delete()).isEqualTo(401);
    assertThat(state()).isEqualTo(before);

    broker.allow(namespace, SecureBroker.ROLE_OF_CERTIFICATE, AuthAction.consume);

    assertAnswered(theirs);
  }

  private PositionsRequests overTls(boolean trusted, String token) throws IOException {
    return new PositionsRequests(
        HttpClient.newBuilder().sslContext(broker.tls(trusted)).build(),
        broker.tlsAdminUrl(),
        topic,
        "all",
        token);
  }

  @Test
  void shouldDisconnectWhosePermissionIsRevokedAndKeepThePosition() throws Exception {
    broker.allow(namespace, "leaver", AuthAction.consume);
    try (PulsarClient members = broker.client(MEMBER);
        PulsarClient leavers = broker.client("leaver");
        Consumer<String> member = Broker.broadcast(members, topic, "all", "a").subscribe();
        Consumer<String> leaver = Broker.broadcast(leavers, topic, "all", "b").subscribe();
        Consumer<byte[]> stock =
            leavers.newConsumer().topic(topic).subscriptionName("stock").subscribe()) {
      publish(members, topic, 0, 5);
      assertThat(receiveAndAck(member, 5)).isEqualTo(values(0, 5));
      List<Message<String>> received = Messages.receive(leaver, 5);
      leaver.acknowledgeCumulative(received.get(2));
      awaitBacklog("all", 2);

      broker.admin().namespaces().revokePermissionsOnNamespace(namespace, "leaver");

      awaitConsumers("stock", Set.of());
      awaitConsumers("all", Set.of("a"));
      publish(members, topic, 5, 10);
      assertThat(receiveAndAck(member, 5)).isEqualTo(values(5, 10));
      Messages.assertNothingMore(leaver);
      awaitBacklog("all", 7);

      broker.allow(namespace, "leaver", AuthAction.consume);
      assertThat(receiveAndAck(leaver, 7)).isEqualTo(values(3, 10));
      awaitBacklog("all", 0);
      await().until(stock::isConnected);
    }
  }

  @Test
  void shouldDisconnectWhoseTokenExpiresUnlessItIsRenewed() throws Exception {
    // Longer than a busy machine takes for the subscribes.
    Duration lifetime = Duration.ofSeconds(20);
    String shortToken = broker.token(MEMBER, lifetime);
    try (PulsarClient lapsing =
            broker.clientBuilder().authentication(AuthenticationFactory.token(shortToken)).build();
        PulsarClient renewing =
            broker
                .clientBuilder()
                .authentication(AuthenticationFactory.token(() -> broker.token(MEMBER, lifetime)))
                .build();
        PulsarClient members = broker.client(MEMBER)) {
      Consumer<String> renewed = Broker.broadcast(renewing, topic, "all", "renewed").subscribe();
      Consumer<String> lapsed = Broker.broadcast(lapsing, topic, "all", "lapsed").subscribe();
      lapsing.newConsumer().topic(topic).subscriptionName("stock").subscribe();
      String connectedSince = consumerStats("all", "renewed").getConnectedSince();

      awaitConsumers("stock", Set.of());
      awaitConsumers("all", Set.of("renewed"));

      publish(members, topic, 0, 5);
      assertThat(receiveAndAck(renewed, 5)).isEqualTo(values(0, 5));
      assertThat(consumerStats("all", "renewed").getConnectedSince()).isEqualTo(connectedSince);
      Messages.assertNothingMore(lapsed);
      // Its position waits for it.
      awaitBacklog("all", 5);
      try (Consumer<String> back = Broker.broadcast(members, topic, "all", "lapsed").subscribe()) {
        assertThat(receiveAndAck(back, 5)).isEqualTo(values(0, 5));
      }
      awaitBacklog("all", 0);
    }
  }

  @Test
  void shouldServeManyConsumersOfOneTlsConnection() throws Exception {
    String large = "x".repeat(300_000);
    try (PulsarClient client = broker.tlsClientBuilder(MEMBER).build();
        Consumer<String> a = Broker.broadcast(client, topic, "all", "a").subscribe();
        Consumer<String> b = Broker.broadcast(client, topic, "all", "b").subscribe();
        Consumer<String> c = Broker.broadcast(client, topic, "all", "c").subscribe()) {
      publish(client, topic, 0, 50);
      try (var producer = client.newProducer(Schema.STRING).topic(topic).create()) {
        producer.send(large);
      }
      for (Consumer<String> consumer : List.of(a, b, c)) {
        assertThat(receiveAndAck(consumer, 50)).isEqualTo(values(0, 50));
        assertThat(receiveAndAck(consumer, 1)).containsExactly(large);
      }
      awaitBacklog("all", 0);
    }
  }

  private TopicState state() throws PulsarAdminException {
    return TopicState.of(broker.admin(), topic, "all");
  }

  private static Map<String, ? extends SubscriptionStats> stats(String topic)
      throws PulsarAdminException {
    return broker.admin().topics().getStats(topic).getSubscriptions();
  }

  private static Set<String> names(SubscriptionStats stats) {
    return stats.getConsumers().stream()
        .map(ConsumerStats::getConsumerName)
        .collect(Collectors.toSet());
  }

  private ConsumerStats consumerStats(String subscription, String name)
      throws PulsarAdminException {
    return stats(topic).get(subscription).getConsumers().stream()
        .filter(consumer -> consumer.getConsumerName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private void awaitConsumers(String subscription, Set<String> expected) {
    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () ->
                assertThat(names(stats(topic).get(subscription)))
                    .as("consumers of %s", subscription)
                    .isEqualTo(expected));
  }

  private void awaitBacklog(String subscription, long expected) {
    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () ->
                assertThat(stats(topic).get(subscription).getMsgBacklog())
                    .as("backlog of %s", subscription)
                    .isEqualTo(expected));
  }
}
