/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report.html;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pulsarbroadcast.benchmark.workload.SampleResults;
import java.io.File;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a real browser makes of the page. Skipped where there is no Chromium. */
@Timeout(120)
class HtmlReportInBrowserTest {
  /** Puts what the browser has laid out where {@code --dump-dom} shows it. */
  private static final String MEASURE =
      """
      <script>
      const plots = [...document.querySelectorAll('figure svg')].map(svg => {
        const box = svg.getBoundingClientRect();
        return {width: box.width, height: box.height, words: svg.querySelector('desc').textContent};
      });
      const page = {plots: plots, pageWidth: document.documentElement.scrollWidth,
        windowWidth: window.innerWidth};
      document.body.setAttribute('data-laid-out', encodeURIComponent(JSON.stringify(page)));
      </script>
      """;

  @TempDir Path folder;

  private static Optional<Path> chromium() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .flatMap(
            path ->
                Stream.of("chromium", "chromium-browser", "google-chrome")
                    .map(n -> Path.of(path, n)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private JsonNode laidOut(Path browser) throws IOException, InterruptedException {
    String html = Files.readString(HtmlReport.write(folder, problem -> {}).orElseThrow());
    Path measured =
        Files.writeString(
            folder.resolve("measured.html"), html.replace("</body>", MEASURE + "</body>"));
    Path dom = folder.resolve("dom.html");
    Process process =
        new ProcessBuilder(
                browser.toString(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--window-size=1400,1000",
                "--user-data-dir=" + folder.resolve("profile"),
                "--dump-dom",
                measured.toUri().toString())
            .redirectOutput(dom.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      assertThat(process.waitFor()).as("exit code of " + browser).isZero();
    } finally {
      process.destroyForcibly();
    }
    Matcher attribute =
        Pattern.compile("data-laid-out=\"([^\"]+)\"").matcher(Files.readString(dom));
    assertThat(attribute.find()).as("the page was laid out").isTrue();
    return new ObjectMapper()
        .readTree(URLDecoder.decode(attribute.group(1), StandardCharsets.UTF_8));
  }

  @Test
  void shouldShowEveryPlotWithItsAxesAndUnits() throws Exception {
    Optional<Path> browser = chromium();
    assumeTrue(browser.isPresent(), "there is no chromium or google-chrome on the PATH");
    for (String driver : List.of("shared", "broadcast-topic-executor", "broadcast")) {
      SampleResults.write(folder, "ntt-20k", driver, 1, 600_000);
      SampleResults.write(folder, "ntt-40k", driver, 1, 900_000);
    }
    SampleResults.write(folder, "rates-100b-1p", "broadcast", 1_000, 5_000);
    SampleResults.write(folder, "rates-100b-1p", "broadcast", 5_000, 50_000);
    SampleResults.write(folder, "catch-up", "broadcast", 100, 9_000);

    JsonNode page = laidOut(browser.get());

    assertThat(page.path("plots").size()).isGreaterThanOrEqualTo(12);
    for (JsonNode plot : page.path("plots")) {
      String words = plot.path("words").asText();
      assertThat(plot.path("width").asDouble()).as(words).isGreaterThan(600);
      assertThat(plot.path("height").asDouble()).as(words).isGreaterThan(300);
      assertThat(words)
          .matches(
              "Horizontal axis: [^.]*[a-z].*\\. Vertical axis: .*(\\((ms|s|MB/s)\\)|Consumers|Messages).*");
    }
    assertThat(page.path("pageWidth").asInt())
        .as("no plot or table makes the page wider than the window")
        .isLessThanOrEqualTo(page.path("windowWidth").asInt());
  }
}
