/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker;

import static org.assertj.core.api.Assertions.assertThat;
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
    assertThat(isBroadcast(value, SubType.Exclusive)).isTrue();
  }

  @Test
  void shouldLeaveSubscribesWithoutThePropertyAlone() {
    assertThat(BroadcastContract.isBroadcast(NONE, NONE, SubType.Failover)).isFalse();
  }

  @Test
  void shouldRefuseAnUnknownTypeAndListWhatIsAllowed() {
    assertThatThrownBy(() -> isBroadcast("Multicast", SubType.Exclusive))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'Multicast'")
        .hasMessageContaining("pulsar.subscription.type")
        .hasMessageContaining("allowed is Broadcast");
  }

  @Test
  void shouldNotRepeatControlCharactersAndLongValues() {
    assertThatThrownBy(() -> isBroadcast("a\nb" + "x".repeat(1000), SubType.Exclusive))
        .hasMessageContaining("a?bx")
        .satisfies(e -> assertThat(e.getMessage().length()).isLessThan(250));
  }

  @ParameterizedTest
  @EnumSource(names = {"Failover", "Key_Shared"})
  void shouldRefuseOtherWireTypesAndNameTheTwoAllowed(SubType wireType) {
    assertThatThrownBy(() -> isBroadcast("Broadcast", wireType))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(wireType.name())
        .hasMessageContaining("Exclusive")
        .hasMessageContaining("Shared");
  }

  @Test
  void shouldFollowADeclaredSubscription() {
    Map<String, String> declared = Map.of(BroadcastContract.TYPE_PROPERTY, "broadcast");
    assertThat(BroadcastContract.isBroadcast(NONE, declared, SubType.Shared)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "1.5", "", "1h", "99999999999999999999"})
  void shouldRefuseATimeToLiveThatIsNoWholeNumber(String ttl) {
    Map<String, String> properties =
        Map.of(BroadcastContract.TYPE_PROPERTY, "Broadcast", BroadcastContract.TTL_PROPERTY, ttl);
    assertThatThrownBy(() -> BroadcastContract.isBroadcast(properties, NONE, SubType.Exclusive))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(BroadcastContract.TTL_PROPERTY)
        .hasMessageContaining("'" + ttl + "'");
  }

  private static boolean isBroadcast(String value, SubType wireType) {
    return BroadcastContract.isBroadcast(
        Map.of(BroadcastContract.TYPE_PROPERTY, value), NONE, wireType);
  }

  @Test
  void shouldRefuseANameThatIsTooLongToStore() {
    BroadcastContract.checkConsumerName("n".repeat(BroadcastContract.MAX_CONSUMER_NAME_CHARS));
    assertThatThrownBy(
            () ->
                BroadcastContract.checkConsumerName(
                    "n".repeat(BroadcastContract.MAX_CONSUMER_NAME_CHARS + 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1025 characters");
  }
}
