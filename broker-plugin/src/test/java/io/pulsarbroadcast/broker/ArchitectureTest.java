/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/**
 * The house: one way from what the broker calls to what keeps positions, and Pulsar's internals in
 * one place.
 */
@AnalyzeClasses(
    packages = "io.pulsarbroadcast.broker",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  private static final String BROKER_INTERNALS = "org.apache.pulsar.broker..";
  private static final String LEDGER_INTERNALS = "org.apache.bookkeeper..";

  @ArchTest
  static final ArchRule shouldTouchPulsarInternalsInCompatOnly =
      noClasses()
          .that()
          .resideOutsideOfPackage("..broker.compat..")
          .and()
          .doNotHaveFullyQualifiedName(BroadcastPlugin.class.getName())
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(BROKER_INTERNALS, LEDGER_INTERNALS);

  @ArchTest
  static final ArchRule shouldKeepDispatchApartFromCompat =
      noClasses()
          .that()
          .resideInAPackage("..broker.dispatch..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("..broker.compat..");

  @ArchTest
  static final ArchRule shouldKeepMetricsApartFromWhatTheyMeasure =
      noClasses()
          .that()
          .resideInAPackage("..broker.metrics..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("..broker.compat..", "..broker.dispatch..", "org.apache.pulsar..");

  @ArchTest
  static final ArchRule shouldKeepNetworkingOutOfCursors =
      noClasses()
          .that()
          .resideInAPackage("..broker.cursor..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "..broker.compat..",
              "..broker.dispatch..",
              "..broker.metrics..",
              "io.netty..",
              "org.apache.pulsar..");
}
