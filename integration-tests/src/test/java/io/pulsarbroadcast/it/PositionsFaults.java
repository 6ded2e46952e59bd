/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Faults of the storage of positions, brought about in a running broker by an interceptor beside
 * the plugin, which does what bookies do that do not answer: it fails the opening of positions
 * logs, or leaves those that are open as a failed write does. It also writes what a newer plugin
 * might.
 */
final class PositionsFaults {

  private static final String SOURCE =
      """
      import java.lang.reflect.Field;
      import java.lang.reflect.InvocationTargetException;
      import java.lang.reflect.Proxy;
      import java.nio.file.Files;
      import java.nio.file.Path;
      import java.util.Map;
      import org.apache.bookkeeper.mledger.AsyncCallbacks.OpenLedgerCallback;
      import org.apache.bookkeeper.mledger.ManagedLedger;
      import org.apache.bookkeeper.mledger.ManagedLedgerException;
      import org.apache.bookkeeper.mledger.ManagedLedgerFactory;
      import org.apache.bookkeeper.mledger.impl.ManagedLedgerFactoryImpl;
      import org.apache.bookkeeper.mledger.impl.ManagedLedgerImpl;
      import org.apache.pulsar.broker.PulsarService;
      import org.apache.pulsar.broker.intercept.BrokerInterceptor;
      import org.apache.pulsar.broker.service.BrokerService;
      import org.apache.pulsar.broker.service.ServerCnx;
      import org.apache.pulsar.common.api.proto.BaseCommand;
      import javax.servlet.ServletRequest;
      import javax.servlet.ServletResponse;

      public class Faults implements BrokerInterceptor {
        private static final Path FOLDER = Path.of(System.getProperty("faults"));

        @Override
        public void initialize(PulsarService pulsar) throws Exception {
          Field field = BrokerService.class.getDeclaredField("managedLedgerFactory");
          field.setAccessible(true);
          ManagedLedgerFactory real = (ManagedLedgerFactory) field.get(pulsar.getBrokerService());
          field.set(
              pulsar.getBrokerService(),
              Proxy.newProxyInstance(
                  ManagedLedgerFactory.class.getClassLoader(),
                  new Class<?>[] {ManagedLedgerFactory.class},
                  (proxy, method, arguments) -> {
                    if (method.getName().equals("asyncOpen")
                        && isPositions(arguments[0])
                        && Files.exists(FOLDER.resolve("open"))) {
                      System.out.println("Fault: cannot open " + arguments[0]);
                      for (Object argument : arguments) {
                        if (argument instanceof OpenLedgerCallback callback) {
                          callback.openLedgerFailed(
                              new ManagedLedgerException("Bookie operation timeout"), null);
                        }
                      }
                      return null;
                    }
                    try {
                      return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                      throw e.getCause();
                    }
                  }));
          Thread watch = new Thread(() -> watch((ManagedLedgerFactoryImpl) real));
          watch.setDaemon(true);
          watch.start();
        }

        private static boolean isPositions(Object name) {
          return name.toString().startsWith("pulsar-broadcast/positions/");
        }

        private void watch(ManagedLedgerFactoryImpl factory) {
          try {
            Field state = ManagedLedgerImpl.class.getDeclaredField("state");
            state.setAccessible(true);
            while (true) {
              Thread.sleep(20);
              if (Files.exists(FOLDER.resolve("write"))) {
                for (Map.Entry<String, ManagedLedgerImpl> open :
                    factory.getManagedLedgers().entrySet()) {
                  if (isPositions(open.getKey())) {
                    state.set(open.getValue(), ManagedLedgerImpl.State.WriteFailed);
                  }
                }
                Files.delete(FOLDER.resolve("write"));
              }
              if (Files.exists(FOLDER.resolve("newer"))) {
                String topic = Files.readString(FOLDER.resolve("newer"));
                for (Map.Entry<String, ManagedLedgerImpl> open :
                    factory.getManagedLedgers().entrySet()) {
                  if (isPositions(open.getKey()) && open.getKey().contains(topic)) {
                    open.getValue().addEntry(new byte[] {'B', 4, 0, 0, 0, 0, 0, 0});
                  }
                }
                Files.delete(FOLDER.resolve("newer"));
              }
            }
          } catch (Exception e) {
            e.printStackTrace();
          }
        }

        @Override
        public void onPulsarCommand(BaseCommand command, ServerCnx cnx) {}

        @Override
        public void onConnectionClosed(ServerCnx cnx) {}

        @Override
        public void onWebserviceRequest(ServletRequest request) {}

        @Override
        public void onWebserviceResponse(ServletRequest request, ServletResponse response) {}

        @Override
        public void close() {}
      }
      """;

  private final Path folder;

  private PositionsFaults(Path folder) {
    this.folder = folder;
  }

  /** Of one address on one topic; a limit that only a broker has. */
  static final int MAX_CONSUMERS = 4;

  /** A broker with the plugin, and the faults in a folder that the caller deletes. */
  static Broker start(Path folder) throws Exception {
    Broker broker =
        Broker.startWithTransactions(BrokerExtension.newBroker().jvmOption("-Dfaults=" + folder));
    broker.process().stop();
    TestNar.write(
        broker.process().instanceFolder().resolve("interceptors").resolve("faults.nar"),
        Path.of(System.getProperty("pulsar.home")),
        "Faults",
        SOURCE,
        "broker_interceptor.yml",
        "name: faults\ndescription: for a test\ninterceptorClass: Faults\n");
    broker.process().setting("brokerInterceptors", "pulsar-broadcast,faults");
    broker.process().setting("maxSameAddressConsumersPerTopic", String.valueOf(MAX_CONSUMERS));
    broker.process().start();
    return broker;
  }

  static PositionsFaults in(Path folder) {
    return new PositionsFaults(folder);
  }

  /** From now on no positions log can be opened. */
  void failToOpen() throws IOException {
    Files.createFile(folder.resolve("open"));
  }

  void open() throws IOException {
    Files.delete(folder.resolve("open"));
  }

  /** Has a record of version 4 in the log of a topic, which is open. */
  void storeNewerFormat(String topic) throws IOException {
    Path written = Files.writeString(folder.resolve("being written"), localNameOf(topic));
    Path wanted = Files.move(written, folder.resolve("newer"));
    await().until(() -> !Files.exists(wanted));
  }

  static String localNameOf(String topic) {
    return topic.substring(topic.lastIndexOf('/') + 1);
  }

  /** Leaves the logs that are open as after a write that failed. */
  void failWrite() throws IOException {
    Path wanted = Files.createFile(folder.resolve("write"));
    await().until(() -> !Files.exists(wanted));
  }
}
