/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The commands that the pages say to type: their indented lines, the rows of the table of {@code
 * pulsar-admin broadcast}, and what is quoted in a sentence. docs/tests/commands.tsv says what runs
 * each; {@link DocumentedBenchTest} reads those of {@code ./bench} and {@code ./demo}.
 */
final class DocumentedCommands {
  static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

  private static final Pattern BENCH = Pattern.compile("\\./(bench|demo)\\b.*");
  private static final String TABLE = "| `bin/pulsar-admin broadcast` |";
  private static final Pattern ROW = Pattern.compile("\\| `([^`]+)` \\|.*");

  /** In a sentence, with an option: without one it may be the command's name. */
  private static final Pattern INLINE =
      Pattern.compile(
          "`((?:mvn|bin/pulsar[\\w-]*|pulsar-admin|\\.ci/[\\w-]+|\\./bench|\\./demo|terraform|docker"
              + "|helm|curl) [^`]*)`");

  /** A command as the page has it, in one line. */
  record Command(String page, String text) {
    @Override
    public String toString() {
      return page + ": " + text;
    }

    boolean isOfBench() {
      return BENCH.matcher(text).matches();
    }
  }

  /** A row of commands.tsv. */
  record Row(Command command, String runBy) {}

  private DocumentedCommands() {}

  static List<Row> table() throws IOException {
    return Files.readAllLines(ROOT.resolve("docs/tests/commands.tsv")).stream()
        .skip(1)
        .map(line -> line.split("\t", -1))
        .map(cells -> new Row(new Command(cells[0], cells[1]), cells[2]))
        .toList();
  }

  static List<Command> ofAllPages() throws IOException {
    List<Command> commands = new ArrayList<>();
    for (Path page : pages()) {
      commands.addAll(ofPage(page));
    }
    return commands;
  }

  static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    for (String folder : List.of("", "docs", "docs/examples", "deploy/aws-terraform")) {
      try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
        files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(pages::add);
      }
    }
    // It names what former versions had.
    pages.remove(ROOT.resolve("CHANGELOG.md"));
    return pages;
  }

  private static List<Command> ofPage(Path page) throws IOException {
    String name = ROOT.relativize(page).toString();
    List<Command> commands = new ArrayList<>();
    boolean fenced = false;
    boolean inTable = false;
    String begun = "";
    List<String> lines = Files.readAllLines(page);
    for (String line : lines) {
      Matcher row = ROW.matcher(line);
      if (line.strip().startsWith("```")) {
        fenced = !fenced;
      } else if (line.startsWith(TABLE)) {
        inTable = true;
      } else if (inTable && row.matches()) {
        commands.add(new Command(name, "bin/pulsar-admin broadcast " + row.group(1)));
      } else if (!fenced && line.startsWith("    ")) {
        begun += line.strip();
        if (begun.endsWith("\\")) {
          begun = begun.substring(0, begun.length() - 1);
        } else {
          commands.add(new Command(name, begun));
          begun = "";
        }
      } else if (line.isBlank()) {
        inTable = false;
      }
    }
    INLINE
        .matcher(String.join(" ", lines))
        .results()
        .map(found -> found.group(1))
        .filter(text -> text.contains(" -"))
        .forEach(text -> commands.add(new Command(name, text)));
    return commands;
  }
}
