/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class BroadcastContractTest {

  private static final Map<String, String> NONE = Map.of();

  @ParameterizedTest
  @ValueSource(strings = {"Broadcast", "broadcast", "BROADCAST"})
  void shouldIgnoreCaseOfTheType(String value) {
    assertThatCode(() -> check(value, SubType.Exclusive)).doesNotThrowAnyException();
    assertThat(BroadcastContract.isDeclared(Map.of(BroadcastContract.TYPE_PROPERTY, value)))
        .isTrue();
  }

  @Test
  void shouldLeaveSubscribesWithoutThePropertyAlone() {
    assertThat(BroadcastContract.namesType(NONE)).isFalse();
    assertThat(BroadcastContract.isDeclared(NONE)).isFalse();
  }

  @Test
  void shouldRefuseAnUnknownTypeAndListWhatIsAllowed() {
    assertThatThrownBy(() -> check("Multicast", SubType.Exclusive))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'Multicast'")
        .hasMessageContaining("pulsar.subscription.type")
        .hasMessageContaining("allowed is Broadcast");
  }

  @Test
  void shouldNotRepeatControlCharactersAndLongValues() {
    assertThatThrownBy(() -> check("a\nb" + "x".repeat(1000), SubType.Exclusive))
        .hasMessageContaining("a?bx")
        .satisfies(e -> assertThat(e.getMessage().length()).isLessThan(250));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\nb", "a\u001b[2J", "a\u0085", "a\u2028b"})
  void shouldRefuseNamesThatCouldForgeALineOfTheLog(String name) {
    assertThatThrownBy(() -> checkNames("alerts", name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("consumer name 'a?")
        .hasMessageNotContaining(name);
    assertThatThrownBy(() -> checkNames(name, "car")).hasMessageContaining("subscription name 'a?");
  }

  @Test
  void shouldBoundTheLengthOfNames() {
    checkNames("alerts", "\u00e9\ud83d\ude97".repeat(341));
    assertThatThrownBy(() -> checkNames("alerts", "x".repeat(1_025)))
        .hasMessageContaining("has 1025 characters; allowed on a Broadcast subscription are 1024")
        .satisfies(e -> assertThat(e.getMessage().length()).isLessThan(250));
  }

  @ParameterizedTest
  @EnumSource(names = {"Failover", "Key_Shared"})
  void shouldRefuseOtherWireTypesAndNameTheTwoAllowed(SubType wireType) {
    assertThatThrownBy(() -> check("Broadcast", wireType))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(wireType.name())
        .hasMessageContaining("Exclusive")
        .hasMessageContaining("Shared");
  }

  @Test
  void shouldCheckAConsumerThatDoesNotNameTheTypeOfADeclaredSubscription() {
    assertThatCode(() -> BroadcastContract.check(NONE, SubType.Shared, "alerts", ""))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> BroadcastContract.check(NONE, SubType.Failover, "alerts", "car"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Failover");
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "1.5", "", "1h", "99999999999999999999"})
  void shouldRefuseATimeToLiveThatIsNoWholeNumber(String ttl) {
    Map<String, String> properties =
        Map.of(BroadcastContract.TYPE_PROPERTY, "Broadcast", BroadcastContract.TTL_PROPERTY, ttl);
    assertThatThrownBy(
            () -> BroadcastContract.check(properties, SubType.Exclusive, "alerts", "car"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(BroadcastContract.TTL_PROPERTY)
        .hasMessageContaining("'" + ttl + "'");
  }

  private static void check(String type, SubType wireType) {
    BroadcastContract.check(
        Map.of(BroadcastContract.TYPE_PROPERTY, type), wireType, "alerts", "car");
  }

  private static void checkNames(String subscription, String consumer) {
    BroadcastContract.check(NONE, SubType.Exclusive, subscription, consumer);
  }
}
