/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.cli;

import io.pulsarbroadcast.benchmark.config.ConfigException;
import io.pulsarbroadcast.benchmark.load.FleetException;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * What the command lines of all programs have in common: their exit codes, and one line on the
 * error stream that names what is wrong, its value, and what is allowed. Any thread may call it.
 */
public final class Program {
  public static final int EXIT_COMPLETE = 0;

  /** Something is missing, or not as it should be. */
  public static final int EXIT_MISSING = 1;

  public static final int EXIT_BAD_OPTION = 2;
  public static final int EXIT_FAILED = 3;

  private static final double MAX_WHOLE = 1e15;

  private Program() {}

  /** Parses the arguments, checks each {@link Range}, runs, and returns the exit code. */
  public static int run(
      CommandLine commandLine, PrintStream out, PrintStream err, String... arguments) {
    if (arguments.length == 0 && !commandLine.getSubcommands().isEmpty()) {
      return refuse(err, "No command; allowed: " + subcommands(commandLine));
    }
    return commandLine
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setOut(new PrintWriter(out, true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(err, true, StandardCharsets.UTF_8))
        .setExecutionStrategy(Program::checkAndRun)
        .setParameterExceptionHandler((e, all) -> refuse(err, describe(e)))
        .setExecutionExceptionHandler((e, command, parsed) -> failed(err, e))
        .execute(arguments);
  }

  private static int checkAndRun(ParseResult parsed) {
    for (CommandLine command : parsed.asCommandLineList()) {
      for (OptionSpec option : command.getCommandSpec().options()) {
        range(option).ifPresent(range -> check(command, option, range));
      }
    }
    return new RunLast().execute(parsed);
  }

  private static Optional<Range> range(ArgSpec option) {
    return option.userObject() instanceof Field field
        ? Optional.ofNullable(field.getAnnotation(Range.class))
        : Optional.empty();
  }

  private static void check(CommandLine command, OptionSpec option, Range range) {
    Object given = option.getValue();
    List<?> values = given instanceof List<?> several ? several : Collections.singletonList(given);
    for (Object each : values) {
      if (each != null) {
        double value = ((Number) each).doubleValue();
        if (!(value >= range.from() && value <= range.to())) {
          throw new ParameterException(command, error(option, plain(value)));
        }
      }
    }
  }

  private static String error(OptionSpec option, String value) {
    return "%s is %s; allowed: %s".formatted(option.longestName(), value, allowed(option));
  }

  private static String allowed(OptionSpec option) {
    return range(option)
        .map(range -> plain(range.from()) + " to " + plain(range.to()))
        .orElseGet(
            () ->
                option.typeInfo().isEnum()
                    ? String.join(", ", option.typeInfo().getEnumConstantNames())
                    : option.paramLabel());
  }

  private static String plain(double value) {
    return value == Math.rint(value) && Math.abs(value) < MAX_WHOLE
        ? Long.toString((long) value)
        : String.format(Locale.ROOT, "%s", value);
  }

  private static String describe(ParameterException e) {
    if (e instanceof MissingParameterException missing
        && !missing.getMissing().isEmpty()
        && missing.getMissing().get(0) instanceof OptionSpec option
        && missing.getMessage().contains("parameter for option")) {
      return "%s has no value; allowed: %s".formatted(option.longestName(), allowed(option));
    }
    if (e.getArgSpec() instanceof OptionSpec option
        && e.getValue() != null
        && (range(option).isPresent() || option.typeInfo().isEnum())) {
      return error(option, e.getValue());
    }
    CommandLine command = e.getCommandLine();
    if (e instanceof UnmatchedArgumentException unmatched && !command.getSubcommands().isEmpty()) {
      return "Unknown option or command: %s; commands are %s, and each has --help"
          .formatted(unmatched.getUnmatched().get(0), subcommands(command));
    }
    String line = e.getMessage().lines().findFirst().orElse("Wrong option");
    return line.contains("allowed:") ? line : line + "; see --help";
  }

  private static String subcommands(CommandLine commandLine) {
    return String.join(", ", commandLine.getSubcommands().keySet());
  }

  private static int refuse(PrintStream err, String error) {
    err.println(error);
    return EXIT_BAD_OPTION;
  }

  private static int failed(PrintStream err, Exception e) {
    if (e instanceof InvalidOptionException || e instanceof ConfigException) {
      return refuse(err, e.getMessage());
    }
    boolean saysWhat =
        e instanceof IOException
            || e instanceof UncheckedIOException
            || e instanceof FleetException;
    err.println(saysWhat ? e.getMessage() : e.toString());
    return EXIT_FAILED;
  }
}
