/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.spring;

import io.pulsarbroadcast.client.BroadcastNotSupportedException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** What Spring Boot prints when a listener does not start for want of the plugin. */
final class BroadcastNotSupportedFailureAnalyzer
    extends AbstractFailureAnalyzer<BroadcastNotSupportedException> {
  @Override
  protected FailureAnalysis analyze(Throwable root, BroadcastNotSupportedException cause) {
    return new FailureAnalysis(
        cause.getMessage(),
        "Install the plugin on every broker, or leave out the listener's consumerCustomizer.",
        cause);
  }
}
