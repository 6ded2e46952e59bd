/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.nemesis;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Containers are for the nemesis alone, and nothing else needs it but the command line. */
@AnalyzeClasses(
    packages = "io.pulsarbroadcast.benchmark",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  private static final String NEMESIS = "io.pulsarbroadcast.benchmark.nemesis";

  @ArchTest
  static final ArchRule shouldBeUsedByTheCommandLineOnly =
      classes()
          .that()
          .resideInAPackage(NEMESIS)
          .should()
          .onlyBeAccessed()
          .byAnyPackage(NEMESIS, "io.pulsarbroadcast.benchmark");

  @ArchTest
  static final ArchRule shouldBeAloneWithContainers =
      noClasses()
          .that()
          .resideOutsideOfPackage(NEMESIS)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.pulsarbroadcast.cluster", "org.testcontainers..");
}
