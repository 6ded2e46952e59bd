/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.ConsumerInterceptor;
import org.apache.pulsar.client.api.DeadLetterPolicy;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionMode;
import org.apache.pulsar.client.api.TopicConsumerBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class BroadcastConsumerBuilderTest {
  private static final String TYPE = "pulsar.subscription.type";
  private static final String TTL = "pulsar.broadcast.cursor.ttl.seconds";

  private final FakePulsar pulsar = new FakePulsar();

  private BroadcastConsumerBuilder<String> builder() {
    return pulsar.broadcast.newConsumer(Schema.STRING).topic("t").subscriptionName("s");
  }

  private BroadcastConsumerBuilder<String> broadcastBuilder() {
    return builder().subscriptionType(SubscriptionType.Broadcast);
  }

  private FakePulsar.Subscribe subscribed(ConsumerBuilder<?> builder) throws Exception {
    builder.subscribe();
    return pulsar.real().get(pulsar.real().size() - 1);
  }

  private static String retryTopic(FakePulsar.Subscribe subscribe) {
    return ((DeadLetterPolicy) subscribe.last("deadLetterPolicy")).getRetryLetterTopic();
  }

  /** What some of the supported clients lack, and their types: no interface of ours mentions it. */
  private static final Set<String> NOT_IN_EACH_CLIENT =
      Set.of(
          "messageListenerExecutor", "negativeAckRedeliveryDelayPrecision", "decryptFailListener");

  static Stream<Method> chainableMethods() {
    return Arrays.stream(ConsumerBuilder.class.getMethods())
        .filter(method -> !NOT_IN_EACH_CLIENT.contains(method.getName()))
        .filter(
            method ->
                method.getReturnType() == ConsumerBuilder.class
                    || method.getReturnType() == TopicConsumerBuilder.class);
  }

  @ParameterizedTest
  @MethodSource("chainableMethods")
  void shouldRedeclareEachChainableMethod(Method pulsars) throws Exception {
    Class<?> expected =
        pulsars.getReturnType() == ConsumerBuilder.class
            ? BroadcastConsumerBuilder.class
            : BroadcastTopicConsumerBuilder.class;
    Method ours =
        BroadcastConsumerBuilder.class.getDeclaredMethod(
            pulsars.getName(), pulsars.getParameterTypes());
    assertThat(ours.getReturnType()).isEqualTo(expected);
    assertThat(ours.isAnnotationPresent(Deprecated.class))
        .isEqualTo(pulsars.isAnnotationPresent(Deprecated.class));
  }

  @Test
  void shouldNotMentionATypeThatSomeClientsLack() {
    assertThat(BroadcastConsumerBuilder.class.getDeclaredMethods())
        .extracting(Method::getName)
        .isNotEmpty()
        .doesNotContainAnyElementsOf(NOT_IN_EACH_CLIENT);
  }

  @Test
  void shouldStayABroadcastBuilderThroughMethodsItDoesNotRedeclare() throws Exception {
    BroadcastConsumerBuilder<String> builder = builder();
    for (Method method : ConsumerBuilder.class.getMethods()) {
      if (NOT_IN_EACH_CLIENT.contains(method.getName())) {
        assertThat(method.invoke(builder, any(method.getParameterTypes()[0])))
            .as("%s", method)
            .isSameAs(builder);
      }
    }
  }

  private static Object any(Class<?> type) {
    return type == int.class
        ? (Object) 1
        : Proxy.newProxyInstance(
            type.getClassLoader(), new Class<?>[] {type}, (proxy, called, arguments) -> null);
  }

  @Test
  void shouldPutThePropertyOnAnExclusiveSubscribe() throws Exception {
    FakePulsar.Subscribe subscribe = subscribed(broadcastBuilder());
    assertThat(subscribe.last("subscriptionType"))
        .isEqualTo(org.apache.pulsar.client.api.SubscriptionType.Exclusive);
    assertThat(subscribe.properties()).containsExactly(Map.entry(TYPE, "Broadcast"));
    assertThat(subscribe.all("topic")).containsExactly("t");
    assertThat(subscribe.all("subscriptionName")).containsExactly("s");
  }

  @Test
  void shouldPutThePropertyOnASharedSubscribeWhenUnordered() throws Exception {
    FakePulsar.Subscribe subscribe = subscribed(broadcastBuilder().unordered());
    assertThat(subscribe.last("subscriptionType"))
        .isEqualTo(org.apache.pulsar.client.api.SubscriptionType.Shared);
    assertThat(subscribe.properties()).containsEntry(TYPE, "Broadcast");
  }

  @Test
  void shouldTakeTheSettingsInAnyOrder() throws Exception {
    FakePulsar.Subscribe subscribe =
        subscribed(
            pulsar
                .broadcast
                .newConsumer()
                .unordered()
                .consumerName("car-4711")
                .subscriptionType(SubscriptionType.Broadcast)
                .receiverQueueSize(10)
                .cursorTimeToLive(Duration.ofHours(1))
                .subscriptionName("s")
                .topicConfiguration("t")
                .priorityLevel(1)
                .build()
                .subscriptionMode(SubscriptionMode.Durable)
                .topics(List.of("t"))
                .property("mine", "1"));
    assertThat(subscribe.properties())
        .containsOnly(Map.entry(TYPE, "Broadcast"), Map.entry(TTL, "3600"), Map.entry("mine", "1"));
    assertThat(subscribe.last("consumerName")).isEqualTo("car-4711");
    assertThat(subscribe.last("receiverQueueSize")).isEqualTo(10);
    assertThat(subscribe.last("topic.priorityLevel")).isEqualTo(1);
  }

  @Test
  void shouldWorkThroughPulsarsInterface() throws Exception {
    BroadcastConsumerBuilder<byte[]> ours = pulsar.broadcast.newConsumer();
    ConsumerBuilder<byte[]> pulsars = ours.subscriptionType(SubscriptionType.Broadcast);
    assertThat(pulsars.topic("t")).isSameAs(ours);
    assertThat(pulsars.subscriptionName("s")).isSameAs(ours);
    assertThat(pulsars.clone()).isInstanceOf(BroadcastConsumerBuilder.class);
    assertThat(subscribed(pulsars).properties()).containsEntry(TYPE, "Broadcast");
  }

  @Test
  void shouldNotLoseBroadcastThroughTopicConfiguration() throws Exception {
    BroadcastConsumerBuilder<String> builder = broadcastBuilder();
    TopicConsumerBuilder<String> topicBuilder = builder.topicConfiguration("t");
    assertThat(topicBuilder.priorityLevel(2)).isSameAs(topicBuilder);
    assertThat(topicBuilder.build()).isSameAs(builder);
    assertThat(builder.topicConfiguration("t", topic -> topic.priorityLevel(3))).isSameAs(builder);
  }

  @ParameterizedTest
  @EnumSource(value = SubscriptionType.class, names = "Broadcast", mode = EnumSource.Mode.EXCLUDE)
  void shouldPassPulsarsOwnTypesOn(SubscriptionType type) throws Exception {
    FakePulsar.Subscribe subscribe = subscribed(builder().subscriptionType(type));
    assertThat(subscribe.last("subscriptionType")).isEqualTo(type.toPulsar());
    assertThat(subscribe.properties()).isEmpty();
    assertThat(subscribe.all("consumerName")).isEmpty();
    assertThat(pulsar.probes()).isEmpty();
  }

  @Test
  void shouldLetTheLastTypeHold() throws Exception {
    FakePulsar.Subscribe subscribe =
        subscribed(
            broadcastBuilder()
                .subscriptionType(org.apache.pulsar.client.api.SubscriptionType.Failover));
    assertThat(subscribe.last("subscriptionType"))
        .isEqualTo(org.apache.pulsar.client.api.SubscriptionType.Failover);
    assertThat(subscribe.properties()).isEmpty();
  }

  @Test
  void shouldKeepTheTypeWhenLoadConfTakesTheBroadcastPropertyAway() throws Exception {
    FakePulsar.Subscribe subscribe =
        subscribed(
            builder()
                .property(TYPE, "Broadcast")
                .subscriptionType(SubscriptionType.Shared)
                .loadConf(Map.of("properties", Map.of())));
    assertThat(subscribe.last("subscriptionType"))
        .isEqualTo(org.apache.pulsar.client.api.SubscriptionType.Shared);
    assertThat(pulsar.probes()).isEmpty();
  }

  @Test
  void shouldGuardWhoSetsThePropertyInstead() throws Exception {
    for (BroadcastConsumerBuilder<String> builder :
        List.of(
            builder().property(TYPE, "broadcast"),
            builder().properties(Map.of(TYPE, "Broadcast")),
            builder().loadConf(Map.of("properties", Map.of(TYPE, "BROADCAST"))))) {
      FakePulsar.Subscribe subscribe = subscribed(builder.enableRetry(true));
      assertThat(subscribe.properties()).containsEntry(TYPE, "Broadcast");
      assertThat(subscribe.all("subscriptionType")).isEmpty();
      assertThat((String) subscribe.last("consumerName")).startsWith("broadcast-");
      assertThat(retryTopic(subscribe)).contains(encoded(subscribe.last("consumerName")));
    }
    assertThat(pulsar.probes()).hasSize(1);
  }

  @Test
  void shouldLeaveTheUnorderedContractToWhoSetsThePropertyInstead() throws Exception {
    FakePulsar.Subscribe subscribe =
        subscribed(
            builder()
                .subscriptionType(org.apache.pulsar.client.api.SubscriptionType.Shared)
                .property(TYPE, "Broadcast"));
    assertThat(subscribe.last("subscriptionType"))
        .isEqualTo(org.apache.pulsar.client.api.SubscriptionType.Shared);
    assertThat(
            subscribed(builder().property(TYPE, "Broadcast").unordered()).last("subscriptionType"))
        .isEqualTo(org.apache.pulsar.client.api.SubscriptionType.Shared);
  }

  @Test
  void shouldLeaveAloneWhoSetsThePropertyToSomethingElse() throws Exception {
    FakePulsar.Subscribe subscribe = subscribed(builder().property(TYPE, "Braodcast"));
    assertThat(subscribe.properties()).containsExactly(Map.entry(TYPE, "Braodcast"));
    assertThat(subscribe.all("consumerName")).isEmpty();
    assertThat(pulsar.probes()).isEmpty();
  }

  @Test
  void shouldPrepareABuilderOfAFramework() throws Exception {
    ConsumerBuilder<byte[]> prepared = pulsar.client.newConsumer();
    pulsar.broadcast.prepare(
        prepared,
        Map.of(
            "topicNames",
            List.of("a"),
            "subscriptionName",
            "s",
            "retryEnable",
            true,
            "properties",
            Map.of(TYPE, "Broadcast")));
    FakePulsar.Subscribe subscribe = subscribed(prepared);
    assertThat(subscribe.properties()).containsExactly(Map.entry(TYPE, "Broadcast"));
    assertThat((String) subscribe.last("consumerName")).startsWith("broadcast-");
    assertThat(retryTopic(subscribe)).startsWith("a-s-broadcast%2D");
    assertThat(pulsar.probes()).singleElement().extracting(p -> p.last("topic")).isEqualTo("a");
  }

  @Test
  void shouldNotTouchAFrameworksBuilderOfAnotherType() throws Exception {
    ConsumerBuilder<byte[]> other = pulsar.client.newConsumer();
    pulsar.broadcast.prepare(
        other, Map.of("topicNames", List.of("a"), "properties", Map.of("mine", "1")));
    assertThat(subscribed(other).calls()).isEmpty();
    assertThat(pulsar.probes()).isEmpty();
  }

  @Test
  void shouldGenerateANameOf128BitsForEachSubscribe() throws Exception {
    BroadcastConsumerBuilder<String> builder = broadcastBuilder();
    Object first = subscribed(builder).last("consumerName");
    Object second = subscribed(builder).last("consumerName");
    Object third = subscribed(builder.clone()).last("consumerName");
    assertThat(List.of(first, second, third))
        .doesNotHaveDuplicates()
        .allSatisfy(name -> assertThat((String) name).matches("broadcast-[0-9a-f]{32}"));
  }

  @Test
  void shouldKeepANameOfTheApplication() throws Exception {
    assertThat(subscribed(broadcastBuilder().consumerName("car-4711")).all("consumerName"))
        .containsExactly("car-4711");
    assertThat(
            subscribed(broadcastBuilder().loadConf(Map.of("consumerName", "car-4711")))
                .all("consumerName"))
        .isEmpty();
  }

  @Test
  void shouldTakeBroadcastAndTheTopicFromLoadConf() throws Exception {
    FakePulsar.Subscribe subscribe =
        subscribed(
            pulsar
                .broadcast
                .newConsumer()
                .loadConf(
                    Map.of(
                        "topicNames", List.of("a"),
                        "subscriptionName", "s",
                        "subscriptionType", "Broadcast")));
    assertThat(subscribe.properties()).containsEntry(TYPE, "Broadcast");
    assertThat(subscribe.last("loadConf"))
        .isEqualTo(Map.of("topicNames", List.of("a"), "subscriptionName", "s"));
    assertThat(pulsar.probes()).singleElement().extracting(p -> p.last("topic")).isEqualTo("a");
  }

  @Test
  void shouldLetLoadConfChooseOneOfPulsarsTypes() throws Exception {
    FakePulsar.Subscribe subscribe =
        subscribed(broadcastBuilder().loadConf(Map.of("subscriptionType", "Shared")));
    assertThat(subscribe.last("loadConf")).isEqualTo(Map.of("subscriptionType", "Shared"));
    assertThat(subscribe.properties()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT-1S", "PT-0.5S", "PT0.5S", "PT1.000000001S"})
  void shouldRefuseATimeToLiveThatIsNotWholeSeconds(Duration timeToLive) {
    assertThatThrownBy(() -> builder().cursorTimeToLive(timeToLive))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("cursorTimeToLive=" + timeToLive + ": allowed are whole seconds, 0 or more");
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, Long.MAX_VALUE})
  void shouldSendTheTimeToLiveInSeconds(long seconds) throws Exception {
    FakePulsar.Subscribe subscribe =
        subscribed(broadcastBuilder().cursorTimeToLive(Duration.ofSeconds(seconds)));
    assertThat(subscribe.properties()).containsEntry(TTL, Long.toString(seconds));
  }

  @Test
  void shouldSubscribeTheOneOfATopicAndItsShadowsThatTheNameChooses() throws Exception {
    FakePulsar.Subscribe subscribe =
        subscribed(
            pulsar
                .broadcast
                .newConsumer(Schema.STRING)
                .topicWithShadows("a", List.of("b", "c"))
                .subscriptionName("s")
                .subscriptionType(SubscriptionType.Broadcast)
                .enableRetry(true)
                .consumerName("car-4711")
                .clone());
    assertThat(((DeadLetterPolicy) subscribe.last("deadLetterPolicy")).getDeadLetterTopic())
        .as("the same wherever it subscribes")
        .isEqualTo("persistent://public/default/a-s-DLQ");
    assertThat(subscribe.all("topic")).containsExactly("persistent://public/default/b");
    assertThat(subscribe.properties()).containsExactly(Map.entry(TYPE, "Broadcast"));
    assertThat(retryTopic(subscribe))
        .as("the same wherever it subscribes")
        .startsWith("persistent://public/default/a-");
  }

  @Test
  void shouldRefuseShadowTopicsWithOtherTopicsOrAnotherType() {
    assertThatThrownBy(() -> broadcastBuilder().topicWithShadows("a", List.of("b")).subscribe())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("persistent://public/default/a")
        .hasMessageContaining("[t]");
    assertThatThrownBy(
            () ->
                pulsar
                    .broadcast
                    .newConsumer(Schema.STRING)
                    .topicWithShadows("a", List.of("b"))
                    .topicsPattern(Pattern.compile("c"))
                    .subscriptionName("s")
                    .subscriptionType(SubscriptionType.Broadcast)
                    .subscribe())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("topicsPattern");
    assertThatThrownBy(
            () ->
                pulsar
                    .broadcast
                    .newConsumer(Schema.STRING)
                    .topicWithShadows("a", List.of("b"))
                    .subscriptionName("s")
                    .subscribe())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("topicWithShadows")
        .hasMessageContaining("Broadcast");
    assertThat(pulsar.subscribes).isEmpty();
  }

  @Test
  void shouldRefuseNullSettings() {
    assertThatThrownBy(() -> builder().cursorTimeToLive(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("cursorTimeToLive");
    assertThatThrownBy(() -> builder().subscriptionType((SubscriptionType) null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("subscriptionType");
    assertThatThrownBy(() -> builder().loadConf(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("config");
    assertThatThrownBy(() -> builder().intercept((ConsumerInterceptor<String>[]) null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("interceptors");
    assertThatThrownBy(() -> pulsar.broadcast.prepare(builder(), null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("settings");
  }

  @Test
  void shouldRefuseOurSettingsWithoutBroadcast() {
    assertThatThrownBy(() -> builder().unordered().subscribe())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("unordered()")
        .hasMessageContaining("Broadcast");
    assertThatThrownBy(
            () ->
                builder()
                    .cursorTimeToLive(Duration.ofSeconds(7))
                    .subscriptionType(SubscriptionType.Shared)
                    .subscribe())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cursorTimeToLive=PT7S")
        .hasMessageContaining("Broadcast");
    assertThat(pulsar.subscribes).isEmpty();
  }

  @Test
  void shouldRefuseThePropertyTogetherWithAnotherType() {
    assertThatThrownBy(
            () ->
                builder()
                    .property(TYPE, "Broadcast")
                    .subscriptionType(SubscriptionType.Failover)
                    .subscribe())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "subscriptionType(Failover) with property pulsar.subscription.type=Broadcast:"
                + " allowed are Broadcast, Exclusive and Shared");
    assertThat(pulsar.subscribes).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"Exclusive", "Shared"})
  void shouldTakeThePropertyWithTheWireTypeOfAContract(SubscriptionType type) throws Exception {
    FakePulsar.Subscribe subscribe =
        subscribed(builder().subscriptionType(type).property(TYPE, "Broadcast"));
    assertThat(subscribe.last("subscriptionType")).isEqualTo(type.toPulsar());
    assertThat((String) subscribe.last("consumerName")).startsWith("broadcast-");
    assertThat(pulsar.probes()).hasSize(1);
  }

  @Test
  void shouldTakeFromLoadConfWhatPulsarTakes() throws Exception {
    FakePulsar.Subscribe subscribe =
        subscribed(
            builder()
                .loadConf(
                    Map.of(
                        "retryEnable", "true",
                        "consumerName", " ",
                        "properties", Map.of(TYPE, SubscriptionType.Broadcast))));
    assertThat((String) subscribe.last("consumerName")).startsWith("broadcast-");
    assertThat(retryTopic(subscribe)).contains(encoded(subscribe.last("consumerName")));
    assertThat(pulsar.probes()).hasSize(1);
  }

  @Test
  void shouldRefuseRetriesOfAPatternThatWouldGoToAll() throws Exception {
    BroadcastConsumerBuilder<byte[]> builder =
        pulsar
            .broadcast
            .newConsumer()
            .topicsPattern("a.*")
            .subscriptionName("s")
            .subscriptionType(SubscriptionType.Broadcast)
            .enableRetry(true);
    assertThatThrownBy(builder::subscribe)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("enableRetry(true) with a topicsPattern")
        .hasMessageContaining("retryLetterTopic");
    builder.deadLetterPolicy(
        DeadLetterPolicy.builder().maxRedeliverCount(3).retryLetterTopic("mine").build());
    assertThat(subscribed(builder).all("subscriptionName")).containsExactly("s");
  }

  @Test
  void shouldRefuseAnotherPropertyTogetherWithBroadcastHoweverItIsSet() {
    List<BroadcastConsumerBuilder<String>> builders =
        List.of(
            broadcastBuilder().property(TYPE, "Multicast"),
            broadcastBuilder().properties(Map.of(TYPE, "Multicast")),
            broadcastBuilder().loadConf(Map.of("properties", Map.of(TYPE, "Multicast"))));
    for (BroadcastConsumerBuilder<String> builder : builders) {
      assertThatThrownBy(builder::subscribe)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("Multicast")
          .hasMessageContaining("allowed is Broadcast");
      assertThat(builder.subscribeAsync())
          .failsWithin(Duration.ZERO)
          .withThrowableThat()
          .withCauseInstanceOf(IllegalArgumentException.class);
    }
    assertThat(pulsar.subscribes).isEmpty();
  }

  @Test
  void shouldAcceptThePropertyWhenItSaysTheSame() throws Exception {
    assertThat(subscribed(broadcastBuilder().property(TYPE, "BROADCAST")).properties())
        .containsEntry(TYPE, "Broadcast");
  }

  @Test
  void shouldCloneIntoAnIndependentBuilder() throws Exception {
    BroadcastConsumerBuilder<String> original = builder().property("mine", "1");
    BroadcastConsumerBuilder<String> copy = original.clone();
    copy.subscriptionType(SubscriptionType.Broadcast).consumerName("copy").unordered();

    assertThat(subscribed(original).properties()).containsExactly(Map.entry("mine", "1"));
    assertThat(subscribed(original).all("consumerName")).isEmpty();

    original.subscriptionType(SubscriptionType.Shared).property(TYPE, "refused here only");
    FakePulsar.Subscribe fromCopy = subscribed(copy);
    assertThat(fromCopy.properties())
        .containsOnly(Map.entry(TYPE, "Broadcast"), Map.entry("mine", "1"));
    assertThat(fromCopy.last("consumerName")).isEqualTo("copy");
    assertThat(copy).isNotEqualTo(original);
  }

  @Test
  void shouldCloneEachSettingOfOurOwn() throws Exception {
    FakePulsar.Subscribe subscribe =
        subscribed(
            broadcastBuilder()
                .unordered()
                .consumerName("n")
                .cursorTimeToLive(Duration.ofSeconds(5))
                .clone());
    assertThat(subscribe.properties())
        .containsOnly(Map.entry(TYPE, "Broadcast"), Map.entry(TTL, "5"));
    assertThat(subscribe.last("subscriptionType"))
        .isEqualTo(org.apache.pulsar.client.api.SubscriptionType.Shared);
    assertThat(subscribe.all("consumerName")).containsExactly("n");
    assertThat(pulsar.probes()).hasSize(1);
  }

  @Test
  @SuppressWarnings("unchecked")
  void shouldKeepInterceptorsThroughCloneAndSubscribe() throws Exception {
    ConsumerInterceptor<String> first = new NoInterceptor();
    ConsumerInterceptor<String> second = new NoInterceptor();
    BroadcastConsumerBuilder<String> original = broadcastBuilder().intercept(first);
    BroadcastConsumerBuilder<String> copy = original.clone().intercept(second);

    assertThat((Object[]) subscribed(original).last("intercept")).containsExactly(first);
    assertThat(subscribed(original).all("intercept")).hasSize(1);
    assertThat((Object[]) subscribed(copy).last("intercept")).containsExactly(first, second);
    assertThat((Object[]) subscribed(builder().intercept(second)).last("intercept"))
        .containsExactly(second);
  }

  @Test
  void shouldThrowWhatTheWrappedBuilderThrows() {
    assertThatThrownBy(() -> builder().receiverQueueSize(-1))
        .isExactlyInstanceOf(IllegalArgumentException.class)
        .hasMessage("receiverQueueSize needs to be >= 0");
  }

  @Test
  void shouldThrowWhatAnOrdinarySubscribeThrows() {
    pulsar.broker =
        subscribe -> FakePulsar.fail(new PulsarClientException.ConsumerBusyException("busy"));
    assertThatThrownBy(() -> builder().subscribe())
        .isExactlyInstanceOf(PulsarClientException.ConsumerBusyException.class)
        .hasMessage("busy");
  }

  private static final class NoInterceptor implements ConsumerInterceptor<String> {
    @Override
    public void close() {}

    @Override
    public Message<String> beforeConsume(Consumer<String> consumer, Message<String> message) {
      return message;
    }

    @Override
    public void onAcknowledge(Consumer<String> consumer, MessageId id, Throwable failure) {}

    @Override
    public void onAcknowledgeCumulative(
        Consumer<String> consumer, MessageId id, Throwable failure) {}

    @Override
    public void onNegativeAcksSend(
        Consumer<String> consumer, java.util.Set<MessageId> messageIds) {}

    @Override
    public void onAckTimeoutSend(Consumer<String> consumer, java.util.Set<MessageId> messageIds) {}
  }

  /** As a part of a retry topic's name. */
  private static String encoded(Object consumerName) {
    return consumerName.toString().replace("-", "%2D");
  }
}
