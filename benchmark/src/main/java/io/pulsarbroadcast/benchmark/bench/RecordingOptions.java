/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import picocli.CommandLine.Option;

/** Of the commands whose broker can be recorded, as picocli fills it in. One thread may call it. */
final class RecordingOptions {
  @Option(
      names = "--jfr",
      description =
          "Record the broker with JFR while messages are timed; adds the recordings and a summary"
              + " of each to the results.")
  boolean jfr;
}
