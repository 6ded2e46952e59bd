/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.Program;
import io.pulsarbroadcast.benchmark.cli.Progress;
import io.pulsarbroadcast.benchmark.config.LocalServer;
import io.pulsarbroadcast.benchmark.floor.FloorProcess;
import io.pulsarbroadcast.benchmark.history.Invariant;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.metrics.FleetSnapshot;
import io.pulsarbroadcast.benchmark.report.CommandFile;
import io.pulsarbroadcast.benchmark.report.Environment;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.report.html.Figure;
import io.pulsarbroadcast.benchmark.report.html.HtmlReport;
import io.pulsarbroadcast.benchmark.report.html.Page;
import io.pulsarbroadcast.benchmark.server.Broker;
import io.pulsarbroadcast.benchmark.server.BrokerCluster;
import io.pulsarbroadcast.benchmark.server.FlightRecording;
import io.pulsarbroadcast.benchmark.server.LoadServer;
import io.pulsarbroadcast.process.PulsarProcessBuilder;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * One command under way: starts servers, and keeps what it finds. Its folder has the same layout
 * for all commands: {@code result.txt}, {@code result.json}, a CSV file per table, a JSON file per
 * run, {@code report.html}, and logs. One thread may call it.
 */
public final class Session {
  private static final String TOPIC_PREFIX = "persistent://public/default/bench-";
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");
  private static final String BROKER_LOGS = "broker-logs";

  /** On a busy machine, too. */
  private static final Duration START_LIMIT = Duration.ofMinutes(5);

  private final Console console;
  private final String command;
  private final Map<String, String> options;
  private final ServerOptions servers;
  private final ZonedDateTime startedAt =
      ZonedDateTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS);
  private final long startNanos = System.nanoTime();
  private final Path folder;
  private final Progress progress;
  private final StringBuilder text = new StringBuilder();
  private final Map<String, ResultTable> tables = new LinkedHashMap<>();
  private final Map<String, Object> figures = new LinkedHashMap<>();
  private final List<Figure> plots = new ArrayList<>();
  private final List<Check> checks = new ArrayList<>();
  private final Map<LoadServer, FlightRecording> recordings = new HashMap<>();
  private String brokerVersion = "unknown";
  private boolean startedBroker;
  private int topics;

  Session(Console console, String command, Map<String, String> options, ServerOptions servers)
      throws IOException {
    this.console = console;
    this.command = command;
    this.options = options;
    this.servers = servers;
    this.progress = new Progress(console.out(), console.isTerminal());
    this.folder = newFolder(servers.output, startedAt.format(TIME) + "-" + command);
  }

  private static Path newFolder(Path parent, String name) throws IOException {
    Files.createDirectories(parent);
    for (int attempt = 0; ; attempt++) {
      try {
        return Files.createDirectory(parent.resolve(attempt == 0 ? name : name + "-" + attempt));
      } catch (FileAlreadyExistsException e) {
        // Another one began in the same second.
      }
    }
  }

  // --- Servers ---------------------------------------------------------------------------------

  /** A server of this kind, with further settings; those of the command line go over them. */
  LoadServer start(LocalServer kind, Map<String, String> settings)
      throws IOException, InterruptedException {
    return kind == LocalServer.floor
        ? FloorProcess.start(servers.heapMegabytes, servers.directMegabytes)
        : startBroker(kind == LocalServer.plugin, settings);
  }

  /** A broker with the plugin, with further settings; those of the command line go over them. */
  public Broker startBroker(Map<String, String> settings) throws IOException, InterruptedException {
    return startBroker(settings, List.of());
  }

  /** The same with further options of its JVM. */
  public Broker startBroker(Map<String, String> settings, List<String> jvmOptions)
      throws IOException, InterruptedException {
    return startBroker(true, settings, jvmOptions);
  }

  /** A broker, with further settings; those of the command line go over them. */
  Broker startBroker(boolean withPlugin, Map<String, String> settings)
      throws IOException, InterruptedException {
    return startBroker(withPlugin, settings, List.of());
  }

  private Broker startBroker(
      boolean withPlugin, Map<String, String> settings, List<String> jvmOptions)
      throws IOException, InterruptedException {
    startedBroker = true;
    PulsarProcessBuilder process =
        servers
            .process(command, withPlugin, settings)
            .keepLogs(folder.resolve(BROKER_LOGS))
            .startTimeout(START_LIMIT);
    jvmOptions.forEach(process::jvmOption);
    return Broker.start(process.build(), progress);
  }

  /** Several plain brokers, whose JVMs leave most of the processor to the load. */
  BrokerCluster startCluster(int brokers, int bundles) throws IOException, InterruptedException {
    startedBroker = true;
    return BrokerCluster.start(
        servers
            .process(command, false, Map.of())
            .lightJvm()
            .keepLogs(folder.resolve(BROKER_LOGS))
            .startTimeout(START_LIMIT),
        brokers,
        bundles);
  }

  /** The plugin, to install where brokers are no processes of this session. */
  public Path nar() {
    return servers.nar;
  }

  /** Heap of such a broker. */
  public int brokerHeapMegabytes() {
    return servers.heapMegabytes;
  }

  /** Its direct memory. */
  public int brokerDirectMegabytes() {
    return servers.directMegabytes;
  }

  /** What the command line sets for such brokers. */
  public Map<String, String> brokerSettings() {
    return servers.settings();
  }

  /** Where the logs of brokers are kept. */
  public Path brokerLogs() {
    startedBroker = true;
    return folder.resolve(BROKER_LOGS);
  }

  /** The name of a topic that nothing else in this command uses. */
  public String newTopic() {
    return TOPIC_PREFIX + startedAt.format(TIME) + "-" + topics++;
  }

  /** Shows progress, and records the server if it is a broker that was started here. */
  RunListener recording(LoadServer server, String series) {
    if (!(server instanceof Broker) || server.process().isEmpty()) {
      return progress;
    }
    String name = fileName(series) + (recordings.isEmpty() ? "" : "-" + recordings.size());
    return recordings.computeIfAbsent(
        server,
        broker -> new FlightRecording(progress, broker.process().orElseThrow(), folder, name));
  }

  /** What is left of a topic does not disturb the next run enough to end a command over it. */
  void forget(LoadServer server, String topic) throws InterruptedException {
    try {
      server.forget(topic);
    } catch (IOException e) {
      err().println(e.getMessage());
    }
  }

  // --- What is found ---------------------------------------------------------------------------

  public Progress progress() {
    return progress;
  }

  PrintStream out() {
    return console.out();
  }

  PrintStream err() {
    return console.err();
  }

  /** Where its results go. */
  public Path folder() {
    return folder;
  }

  static String fileName(String name) {
    return name.replaceAll("[^A-Za-z0-9.]+", "-");
  }

  /** A line of progress: with the time, and not part of the results. */
  public void say(String format, Object... values) {
    double seconds = (System.nanoTime() - startNanos) / 1e9;
    out().printf(Locale.ROOT, "%8.1f s  %s%n", seconds, format(format, values));
  }

  /** A line of the results. */
  public void print(String format, Object... values) {
    String lines = format(format, values);
    out().println(lines);
    text.append(lines).append(System.lineSeparator());
  }

  private static String format(String format, Object... values) {
    return values.length == 0 ? format : String.format(Locale.ROOT, format, values);
  }

  /** Shows a table, and keeps it as {@code name.csv} and in the page. */
  public void show(String name, ResultTable table) throws IOException {
    print(table.text());
    keep(name, table);
  }

  /** The same without showing it. */
  void keep(String name, ResultTable table) throws IOException {
    tables.put(name, table);
    write(name, table);
  }

  /** A table that is too long for the page, as {@code name.csv} only. */
  public void write(String name, ResultTable table) throws IOException {
    Files.writeString(folder.resolve(name + ".csv"), table.csv());
  }

  /** One number of the results. */
  public void figure(String name, Object value) {
    figures.put(name, value);
  }

  /** A plot of the page. */
  public void plot(Figure figure) {
    plots.add(figure);
  }

  /** Something that has to hold. */
  public void check(Check check) {
    checks.add(check);
  }

  /** Something counted that has to hold. */
  public void check(String text, boolean holds, String found, Object... values) {
    check(Check.counted(text, holds, found, values));
  }

  /** Checks each invariant, of which that many violations were found. */
  public void checkInvariants(Function<Invariant, ? extends List<?>> violations) {
    for (Invariant invariant : Invariant.values()) {
      List<?> broken = violations.apply(invariant);
      check(
          invariant.text(),
          broken.isEmpty(),
          "%,d violations%s",
          broken.size(),
          broken.stream().findFirst().map(first -> ", the first: " + first).orElse(""));
    }
  }

  /**
   * Checks that consumers were sent only what a broker may send.
   *
   * @return whether it holds
   */
  public boolean checkUndamaged(Collection<FleetSnapshot> fleets) {
    long damaged = fleets.stream().mapToLong(FleetSnapshot::damaged).sum();
    check(
        "no damaged message, no error of the protocol",
        damaged == 0,
        "%,d%s",
        damaged,
        fleets.stream()
            .filter(fleet -> fleet.protocolErrors() > 0)
            .findFirst()
            .map(fleet -> ", the first: " + fleet.firstError())
            .orElse(""));
    return damaged == 0;
  }

  /** As the broker says itself. */
  public void brokerVersion(String version) {
    if (!"unknown".equals(version)) {
      brokerVersion = version;
    }
  }

  // --- The end ---------------------------------------------------------------------------------

  /** Writes what there is so far, so that whoever stops it half way has that. */
  void save() throws IOException {
    Environment environment = Environment.current(brokerVersion);
    Files.writeString(folder.resolve("result.txt"), head(environment) + text);
    Map<String, List<Map<String, Object>>> rows = new LinkedHashMap<>();
    tables.forEach((name, table) -> rows.put(name, table.maps()));
    new CommandFile(
            CommandFile.KIND,
            command,
            startedAt.format(DateTimeFormatter.ISO_OFFSET_DATE_TIME),
            console.commandLine(),
            environment.details(Map.of("plugin", plugin())),
            options,
            rows,
            figures,
            checks)
        .write(folder.resolve("result.json"));
  }

  private String plugin() {
    return servers.nar == null ? "none" : servers.nar.getFileName().toString();
  }

  private String head(Environment environment) {
    return String.join(System.lineSeparator(), headLines(environment))
        + System.lineSeparator().repeat(2);
  }

  private List<String> headLines(Environment environment) {
    return List.of(
        console.commandLine(),
        environment.line() + ", " + plugin(),
        environment.details(Map.of()).get("processor")
            + ", "
            + startedAt.format(DateTimeFormatter.ISO_OFFSET_DATE_TIME));
  }

  /**
   * Writes everything, and returns the exit code.
   *
   * @param complete whether nothing is missing
   * @param timesCount whether checks about time decide, too
   */
  public int finish(boolean complete, boolean timesCount) throws IOException {
    boolean good = complete;
    for (Check check : checks) {
      boolean decides = timesCount || !check.timed();
      good &= check.holds() || !decides;
      print("%s", check.line() + (check.holds() || decides ? "" : " (does not count)"));
    }
    save();
    writePage();
    if (!good && startedBroker) {
      err().println("Broker logs: " + folder.resolve(BROKER_LOGS));
    }
    out().println("Results: " + folder);
    return good ? Program.EXIT_COMPLETE : Program.EXIT_MISSING;
  }

  private void writePage() throws IOException {
    Page page =
        new Page(folder, command, headLines(Environment.current(brokerVersion)), err()::println);
    page.section("Result");
    for (ResultTable table : tables.values()) {
      page.table(table);
    }
    if (!checks.isEmpty()) {
      ResultTable table = new ResultTable("check", "found", "holds");
      checks.forEach(check -> table.row(check.text(), check.found(), check.holds() ? "yes" : "NO"));
      page.section("Checks").table(table);
    }
    for (Figure plot : plots) {
      page.figure(plot);
    }
    HtmlReport.addTo(page, folder, err()::println);
    page.write();
  }

  /** Says where to look when it cannot go on. */
  void failed() throws IOException {
    progress.interrupt();
    save();
    if (startedBroker) {
      err().println("Broker logs: " + folder.resolve(BROKER_LOGS));
    }
  }
}
