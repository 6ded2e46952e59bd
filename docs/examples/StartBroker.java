/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
import io.pulsarbroadcast.process.PulsarProcess;
import io.pulsarbroadcast.process.PulsarProcessBuilder;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Runs an unmodified Pulsar with the plugin on free ports, in a folder of its own, until the
 * program that started it ends; then nothing of it is left. {@code run.sh} and {@code
 * .ci/go-client-tests} start it.
 *
 * <p>Arguments: the unpacked distribution, the NAR, a folder for the broker's logs, the file to
 * write the two URLs to when it is ready, and any lines of standalone.conf to set, {@code
 * KEY=VALUE} each.
 */
public final class StartBroker {
  private StartBroker() {}

  public static void main(String[] args) throws Exception {
    PulsarProcessBuilder options =
        PulsarProcess.builder()
            .pulsarHome(Path.of(args[0]))
            .nar(Path.of(args[1]))
            .keepLogs(Path.of(args[2]))
            .heapMegabytes(512)
            .directMegabytes(1024)
            .name("examples");
    for (int i = 4; i < args.length; i++) {
      String[] setting = args[i].split("=", 2);
      options.setting(setting[0], setting[1]);
    }
    try (PulsarProcess broker = options.build()) {
      broker.start();
      String urls = "%s %s%n".formatted(broker.serviceUrl(), broker.adminUrl());
      Path written = Files.writeString(Path.of(args[3] + ".new"), urls);
      Files.move(written, Path.of(args[3]));
      ProcessHandle.current().parent().orElseThrow().onExit().join();
    }
  }
}
