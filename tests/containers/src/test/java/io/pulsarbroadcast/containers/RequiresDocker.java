/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.containers;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.testcontainers.DockerClientFactory;

/**
 * Skips tests on machines without a Docker engine, or for the reason in {@code
 * -Dcontainers.skipped}, and says so where it is seen.
 */
final class RequiresDocker implements ExecutionCondition {

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    String given = System.getProperty("containers.skipped", "");
    if (given.isEmpty() && DockerClientFactory.instance().isDockerAvailable()) {
      return ConditionEvaluationResult.enabled("There is a Docker engine");
    }
    String reason =
        "%s is skipped: %s"
            .formatted(
                context.getDisplayName(), given.isEmpty() ? "no Docker engine answers" : given);
    System.out.println(reason);
    return ConditionEvaluationResult.disabled(reason);
  }
}
