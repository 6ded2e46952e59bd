/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Prints what a run of the tests did: the twenty slowest classes, the seeds of random tests, how many
 * brokers were started, the tests on each broker line, and "N passed, N failed, N skipped". Reads the reports of Surefire and Failsafe, and the {@code
 * starts.log} that PulsarProcess keeps, of all modules. Ends with 1 when a broker's log says
 * that a buffer was not released, unless Pulsar may have leaked it, or when nothing ran on a broker
 * line that was not left out.
 *
 * <p>Run with {@code java .ci/Summary.java ROOT SINCE [LINE=LEFT_OUT...]}: the folder of the checkout,
 * the instant at which the run began (what is older is of another run), and the broker lines, as in
 * {@code 4.2.4=false}. With {@code -Dsome.tests=true} tests were chosen by name, and need not be there
 * for each line.
 */
public final class Summary {
  private static final int SLOWEST = 20;

  /** The suffix that Failsafe gives the report of a class, see tests/integration/pom.xml. */
  private static final Pattern LINE = Pattern.compile("\\bon-(\\d[\\d.]*\\d)");

  private static final Pattern SEEDS = Pattern.compile("^\\w+: (seeds \\d|-Dseed=)");

  /** What one report says about one class. */
  private record Report(String name, double seconds, int tests, int failed, int skipped) {

    /** The Pulsar that it ran on, or null. */
    String line() {
      Matcher found = LINE.matcher(name);
      return found.find() ? found.group(1) : null;
    }
  }

  private final Instant since;

  /** The lines that tests were to run on. */
  private final List<String> asked;

  private final List<Report> reports = new ArrayList<>();
  private final List<String> skips = new ArrayList<>();
  private final List<String> seeds = new ArrayList<>();
  private int starts;
  private int startsAgain;
  private long leaks;

  private Summary(Instant since, List<String> asked) {
    this.since = since;
    this.asked = asked;
  }

  public static void main(String[] args) throws Exception {
    List<String> asked =
        Stream.of(args)
            .skip(2)
            .filter(line -> line.endsWith("=false"))
            .map(line -> line.substring(0, line.indexOf('=')))
            .toList();
    Summary summary = new Summary(Instant.parse(args[1]), asked);
    for (Path file : find(Path.of(args[0]), "{surefire,failsafe}-reports/TEST-*.xml")) {
      summary.addReport(file);
    }
    for (Path file : find(Path.of(args[0]), "{surefire,failsafe}-reports/*-output.txt")) {
      summary.addSeeds(file);
    }
    for (Path file : find(Path.of(args[0]), "broker-logs/starts.log")) {
      summary.addStarts(file);
    }
    for (Path file : find(Path.of(args[0]), "broker-logs/*/pulsar.log")) {
      summary.addLeaks(file);
    }
    boolean allLines = summary.print();
    if (summary.leaks > 0 || !(allLines || Boolean.getBoolean("some.tests"))) {
      System.exit(1);
    }
  }

  /** Files below the {@code target} folders of all modules, which are one or two folders deep. */
  private static List<Path> find(Path root, String glob) throws IOException {
    PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:{*,*/*}/target/" + glob);
    try (Stream<Path> files =
        Files.find(root, 6, (file, is) -> matcher.matches(root.relativize(file)))) {
      return files.toList();
    }
  }

  private void addReport(Path file) throws IOException, XMLStreamException {
    if (Files.getLastModifiedTime(file).toInstant().isBefore(since)) {
      return;
    }
    try (InputStream in = Files.newInputStream(file)) {
      XMLStreamReader suite = XMLInputFactory.newFactory().createXMLStreamReader(in);
      suite.nextTag();
      reports.add(
          new Report(
              suite.getAttributeValue(null, "name"),
              // Surefire groups the digits.
              Double.parseDouble(suite.getAttributeValue(null, "time").replace(",", "")),
              count(suite, "tests"),
              count(suite, "failures") + count(suite, "errors"),
              count(suite, "skipped")));
      addSkips(suite);
    }
  }

  /** Why tests were skipped: the first line of what they say. */
  private void addSkips(XMLStreamReader suite) throws XMLStreamException {
    String test = null;
    while (suite.hasNext()) {
      if (suite.next() != XMLStreamConstants.START_ELEMENT) {
        continue;
      }
      if (suite.getLocalName().equals("testcase")) {
        String type = suite.getAttributeValue(null, "classname");
        String method = suite.getAttributeValue(null, "name");
        test = type.replaceFirst("^.*[.](?=[A-Z])", "") + "." + method;
      } else if (suite.getLocalName().equals("skipped")) {
        String message = suite.getAttributeValue(null, "message");
        String reason = message == null ? suite.getElementText().strip() : message;
        skips.add(test + ": " + reason.lines().findFirst().orElse("no reason given"));
      }
    }
  }

  private static int count(XMLStreamReader suite, String attribute) {
    return Integer.parseInt(suite.getAttributeValue(null, attribute));
  }

  /** What random tests say of their seeds, as Seeds in the tests of broker-plugin prints them. */
  private void addSeeds(Path file) throws IOException {
    if (Files.getLastModifiedTime(file).toInstant().isBefore(since)) {
      return;
    }
    try (Stream<String> lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
      lines.filter(line -> SEEDS.matcher(line).find()).forEach(seeds::add);
    }
  }

  /** Each line is {@code INSTANT INSTANCE start|again}. */
  private void addStarts(Path file) throws IOException {
    for (String line : Files.readAllLines(file)) {
      String[] fields = line.split(" ");
      if (!Instant.parse(fields[0]).isBefore(since)) {
        starts++;
        startsAgain += fields[2].equals("again") ? 1 : 0;
      }
    }
  }

  /**
   * What Netty's leak detector says of buffers that were collected and not released. When Pulsar
   * gives up the recovery of a transaction buffer, it forgets what it has read: what is reported
   * after that is not counted.
   */
  private void addLeaks(Path file) throws IOException {
    if (Files.getLastModifiedTime(file).toInstant().isBefore(since)) {
      return;
    }
    List<String> told;
    try (Stream<String> lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
      told = lines.filter(line -> isLeak(line) || isAbortedRecovery(line)).toList();
    }
    long found = told.stream().takeWhile(Summary::isLeak).count();
    long pulsars = told.stream().skip(found).filter(Summary::isLeak).count();
    if (pulsars > 0) {
      System.out.printf(
          "%d buffers were not released after Pulsar gave up the recovery of a transaction buffer, see LEAK: in %s%n",
          pulsars, file);
    }
    if (found > 0) {
      System.out.printf("%d buffers were not released, see LEAK: in %s%n", found, file);
      leaks += found;
    }
  }

  private static boolean isLeak(String line) {
    return line.contains("LEAK:");
  }

  private static boolean isAbortedRecovery(String line) {
    return line.contains("Transaction buffer recover fail when recover transaction entry");
  }

  /** Returns whether something ran on each line that tests were to run on. */
  private boolean print() {
    List<Report> slowest =
        reports.stream()
            .sorted(Comparator.comparingDouble(Report::seconds).reversed())
            .limit(SLOWEST)
            .toList();
    System.out.printf("The %d slowest of %d test classes:%n", slowest.size(), reports.size());
    for (Report report : slowest) {
      System.out.printf(Locale.ROOT, "%8.1f s  %s%n", report.seconds(), report.name());
    }
    skips.forEach(skip -> System.out.println("Skipped: " + skip));
    System.out.println("Seeds of random tests; -DNAME.seed=N repeats one, if no other option is named:");
    seeds.stream().sorted().distinct().forEach(line -> System.out.println("  " + line));
    System.out.printf(
        "%d broker starts, %d of them made again because of apache/pulsar#25001%n",
        starts, startsAgain);
    Map<String, List<Report>> byLine =
        reports.stream()
            .filter(report -> report.line() != null)
            .collect(Collectors.groupingBy(Report::line, TreeMap::new, Collectors.toList()));
    byLine.forEach((line, own) -> System.out.println("On Pulsar " + line + ": " + result(own)));
    List<String> without = asked.stream().filter(line -> !ran(byLine.get(line))).toList();
    without.forEach(
        line -> System.out.println("On Pulsar " + line + ": NO TESTS, though they were to run"));
    System.out.println(result(reports));
    return without.isEmpty();
  }

  private static boolean ran(List<Report> own) {
    return own != null && own.stream().anyMatch(report -> report.tests() > report.skipped());
  }

  private static String result(List<Report> reports) {
    int tests = reports.stream().mapToInt(Report::tests).sum();
    int failed = reports.stream().mapToInt(Report::failed).sum();
    int skipped = reports.stream().mapToInt(Report::skipped).sum();
    return "%d passed, %d failed, %d skipped".formatted(tests - failed - skipped, failed, skipped);
  }
}
