/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.containers;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.testcontainers.DockerClientFactory;

/** Skips tests on machines without a Docker engine, and says so where it is seen. */
final class RequiresDocker implements ExecutionCondition {

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    if (DockerClientFactory.instance().isDockerAvailable()) {
      return ConditionEvaluationResult.enabled("There is a Docker engine");
    }
    String reason = context.getDisplayName() + " is skipped: no Docker engine answers";
    System.out.println(reason);
    return ConditionEvaluationResult.disabled(reason);
  }
}
