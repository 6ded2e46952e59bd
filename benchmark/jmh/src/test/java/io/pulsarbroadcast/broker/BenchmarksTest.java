/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** That the benchmarks run; what they measure here means nothing. */
class BenchmarksTest {
  @Test
  @Timeout(60)
  void shouldRunEveryBenchmarkOnce() throws RunnerException {
    Collection<RunResult> results =
        new Runner(
                new OptionsBuilder()
                    .include(".*Benchmark.*")
                    .forks(0)
                    .warmupIterations(0)
                    .measurementIterations(1)
                    .measurementTime(TimeValue.milliseconds(20))
                    .param("consumers", "50")
                    .shouldFailOnError(true)
                    .verbosity(VerboseMode.SILENT)
                    .build())
            .run();

    assertThat(results).allMatch(result -> result.getPrimaryResult().getScore() > 0);
    assertThat(classesOf(results))
        .containsExactlyInAnyOrder(
            "AckBenchmark",
            "LowestPositionBenchmark",
            "PositionsDeltaBenchmark",
            "FrameEncodingBenchmark",
            "TailDispatchBenchmark");
  }

  private static Set<String> classesOf(Collection<RunResult> results) {
    return results.stream()
        .map(result -> result.getParams().getBenchmark())
        .map(name -> name.substring(0, name.lastIndexOf('.')))
        .map(name -> name.substring(name.lastIndexOf('.') + 1))
        .collect(Collectors.toSet());
  }
}
