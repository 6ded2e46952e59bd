/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** It runs on any Pulsar client, also one whose implementation is another, but for one class. */
@AnalyzeClasses(
    packages = "io.pulsarbroadcast.client",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ClientArchitectureTest {
  @ArchTest
  static final ArchRule shouldNeedOnlyTheApiOfTheClient =
      noClasses()
          .that()
          .doNotBelongToAnyOf(LimitedPartitionsRouter.class)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.apache.pulsar.client.impl..", "org.apache.pulsar.common..");

  @ArchTest
  static final ArchRule shouldLoadTheRouterOnlyForPartitionedProducers =
      noClasses()
          .that()
          .doNotBelongToAnyOf(LimitedPartitionsRouter.class, PartitionedProducers.class)
          .should()
          .dependOnClassesThat()
          .belongToAnyOf(LimitedPartitionsRouter.class);
}
