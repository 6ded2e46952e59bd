/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.pulsar.broker.ServiceConfiguration;
import org.apache.pulsar.broker.loadbalance.extensions.ExtensibleLoadManagerImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BrokerSettingsTest {

  private static final String PAUSING = "pulsarChannelPauseReceivingRequestsIfUnwritable";

  private final ServiceConfiguration configuration = forFleets();

  @Test
  void shouldSayNothingOfDefaultsThatSuitBroadcast() {
    configuration.getProperties().setProperty(PAUSING, "false");

    assertThat(logged()).isEmpty();
    assertThat(configuration).usingRecursiveComparison().isEqualTo(defaultsWith(PAUSING, "false"));
  }

  @Test
  void shouldRecoverCursorsBeforeATopicIsLoadedAndSaySo() {
    configuration.setLazyCursorRecovery(true);

    assertThat(logged())
        .singleElement()
        .asString()
        .startsWith("WARN lazyCursorRecovery=true")
        .contains("lazyCursorRecovery=false");
    assertThat(configuration.isLazyCursorRecovery()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", " TRUE "})
  void shouldWarnOfConnectionsThatArePaused(String value) {
    configuration.getProperties().setProperty(PAUSING, value);

    assertThat(logged()).singleElement().asString().startsWith("WARN " + PAUSING + "=true");
    assertThat(configuration).usingRecursiveComparison().isEqualTo(defaultsWith(PAUSING, value));
  }

  @Test
  void shouldWarnInOneLineOfALoadBalancerThatMovesTopics() {
    configuration.setLoadBalancerAutoUnloadSplitBundlesEnabled(true);
    configuration.setLoadBalancerSheddingEnabled(true);

    assertThat(logged())
        .singleElement()
        .asString()
        .startsWith("WARN")
        .contains("loadBalancerAutoUnloadSplitBundlesEnabled=true")
        .contains("MaxSessions=1000, ...MaxMsgRate=30000 or ...MaxBandwidthMbytes=100")
        .contains("loadBalancerSheddingEnabled=true")
        .contains("\"Fleets\"");
    assertThat(configuration).usingRecursiveComparison().isEqualTo(new ServiceConfiguration());
  }

  @Test
  void shouldWarnOnlyOfSplitsWhereNoLoadIsShed() {
    configuration.setLoadBalancerAutoUnloadSplitBundlesEnabled(true);

    assertThat(logged()).singleElement().asString().doesNotContain("Shedding");
  }

  @Test
  void shouldWarnOnlyOfSheddingWhereSplitsMoveNothing() {
    configuration.setLoadBalancerSheddingEnabled(true);

    assertThat(logged()).singleElement().asString().doesNotContain("Split");
  }

  @Test
  void shouldSayNothingOfMovesWhereNothingIsBalanced() {
    configuration.setLoadBalancerAutoUnloadSplitBundlesEnabled(true);
    configuration.setLoadBalancerSheddingEnabled(true);
    configuration.setLoadBalancerEnabled(false);

    assertThat(logged()).isEmpty();
  }

  @Test
  void shouldSayNothingOfSplitsThatAreOff() {
    configuration.setLoadBalancerAutoUnloadSplitBundlesEnabled(true);
    configuration.setLoadBalancerAutoBundleSplitEnabled(false);

    assertThat(logged()).isEmpty();
  }

  @Test
  void shouldSayNothingOfTheExtensibleLoadManagersSplits() {
    configuration.setLoadBalancerAutoUnloadSplitBundlesEnabled(true);
    configuration.setLoadManagerClassName(ExtensibleLoadManagerImpl.class.getName());

    assertThat(logged()).isEmpty();
  }

  private List<String> logged() {
    return LogLines.of(BrokerSettings.class, () -> BrokerSettings.adapt(configuration));
  }

  private static ServiceConfiguration defaultsWith(String key, String value) {
    ServiceConfiguration defaults = forFleets();
    defaults.getProperties().setProperty(key, value);
    return defaults;
  }

  /** Pulsar's defaults, but for two. */
  private static ServiceConfiguration forFleets() {
    ServiceConfiguration configuration = new ServiceConfiguration();
    configuration.setLoadBalancerAutoUnloadSplitBundlesEnabled(false);
    configuration.setLoadBalancerSheddingEnabled(false);
    return configuration;
  }
}
