/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.apache.pulsar.common.util.Codec;

/**
 * Faults of the storage of positions, brought about in a running broker by an interceptor beside
 * the plugin, which does what bookies do that do not answer: it fails the opening of positions
 * logs, or leaves those that are open as a failed write does. It also writes what a newer plugin
 * might.
 */
final class PositionsFaults {

  private static final String FOLDER = "pulsar-broadcast/positions/logs/";

  private static final String SOURCE =
      """
      import java.lang.management.ManagementFactory;
      import java.lang.management.ThreadInfo;
      import java.lang.reflect.Field;
      import java.lang.reflect.InvocationTargetException;
      import java.lang.reflect.Method;
      import java.lang.reflect.Proxy;
      import java.nio.file.Files;
      import java.nio.file.NoSuchFileException;
      import java.nio.file.Path;
      import java.io.ByteArrayOutputStream;
      import java.io.DataOutputStream;
      import java.io.IOException;
      import java.util.ArrayList;
      import java.util.List;
      import java.util.Map;
      import java.util.Optional;
      import java.util.Queue;
      import java.util.concurrent.CompletableFuture;
      import java.util.concurrent.CountDownLatch;
      import java.util.function.Supplier;
      import java.util.stream.Stream;
      import java.util.zip.CRC32C;
      import org.apache.bookkeeper.client.BKException;
      import org.apache.bookkeeper.client.BookKeeper.DigestType;
      import org.apache.bookkeeper.client.LedgerHandle;
      import org.apache.bookkeeper.mledger.AsyncCallbacks.OpenLedgerCallback;
      import org.apache.bookkeeper.mledger.ManagedCursor;
      import org.apache.bookkeeper.mledger.ManagedLedger;
      import org.apache.bookkeeper.mledger.ManagedLedgerConfig;
      import org.apache.bookkeeper.mledger.ManagedLedgerException;
      import org.apache.bookkeeper.mledger.ManagedLedgerException.BadVersionException;
      import org.apache.bookkeeper.mledger.ManagedLedgerException.MetaStoreException;
      import org.apache.bookkeeper.mledger.ManagedLedgerFactory;
      import org.apache.bookkeeper.mledger.Position;
      import org.apache.bookkeeper.mledger.impl.ManagedCursorImpl;
      import org.apache.bookkeeper.mledger.impl.ManagedLedgerFactoryImpl;
      import org.apache.bookkeeper.mledger.impl.ManagedLedgerImpl;
      import org.apache.bookkeeper.mledger.impl.MetaStore;
      import org.apache.bookkeeper.mledger.impl.MetaStore.MetaStoreCallback;
      import org.apache.bookkeeper.mledger.impl.OpAddEntry;
      import org.apache.pulsar.metadata.api.Stat;
      import org.roaringbitmap.RoaringBitmap;
      import org.apache.pulsar.broker.PulsarService;
      import org.apache.pulsar.broker.intercept.BrokerInterceptor;
      import org.apache.pulsar.broker.service.BrokerService;
      import org.apache.pulsar.broker.service.ServerCnx;
      import org.apache.pulsar.broker.service.persistent.PersistentTopic;
      import org.apache.pulsar.common.api.proto.BaseCommand;
      import org.apache.pulsar.common.util.Codec;
      import javax.servlet.ServletRequest;
      import javax.servlet.ServletResponse;

      public class Faults implements BrokerInterceptor {
        private static final Path FOLDER = Path.of(System.getProperty("faults"));
        private static final String DECLARED = "#pulsar.internal.broadcast.log";

        @Override
        public void initialize(PulsarService pulsar) throws Exception {
          Object holder = pulsar.getBrokerService();
          if (Stream.of(BrokerService.class.getDeclaredFields())
              .noneMatch(field -> field.getName().equals("managedLedgerFactory"))) {
            // From 4.0 on.
            holder = get(pulsar, "getManagedLedgerStorage");
          }
          Field field = holder.getClass().getDeclaredField("managedLedgerFactory");
          field.setAccessible(true);
          ManagedLedgerFactory real = (ManagedLedgerFactory) field.get(holder);
          field.set(
              holder,
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
          Field store = ManagedLedgerFactoryImpl.class.getDeclaredField("store");
          store.setAccessible(true);
          store.set(real, failing((MetaStore) store.get(real)));
          Thread watch = new Thread(() -> watch(pulsar, (ManagedLedgerFactoryImpl) real));
          watch.setDaemon(true);
          watch.start();
        }

        /** Declarations of logs, with nothing lost, are written, and yet answered with a failure. */
        private static Object failing(MetaStore real) {
          return Proxy.newProxyInstance(
              MetaStore.class.getClassLoader(),
              new Class<?>[] {MetaStore.class},
              (proxy, method, arguments) -> {
                if (method.getName().equals("asyncGetCursorInfo")
                    && isAbout("unread", arguments[0])) {
                  Files.delete(FOLDER.resolve("unread"));
                  ((MetaStoreCallback<?>) arguments[2])
                      .operationFailed(new MetaStoreException("Fault: not read"));
                  return null;
                }
                if (method.getName().equals("getManagedLedgerInfo")
                    && arguments[0].toString().startsWith("pulsar-broadcast/positions/persistent/")
                    && !Files.deleteIfExists(FOLDER.resolve("former log, read"))
                    && Files.deleteIfExists(FOLDER.resolve("former log, written"))) {
                  MetaStoreCallback<?> callback =
                      (MetaStoreCallback<?>) arguments[arguments.length - 1];
                  // As a store answers: not while the factory has its map of ledgers locked.
                  CompletableFuture.runAsync(
                      () -> callback.operationFailed(new MetaStoreException("Fault: not opened")));
                  return null;
                }
                if (method.getName().equals("asyncRemoveCursor")
                    && !isPositions(arguments[0])
                    && Files.deleteIfExists(FOLDER.resolve("deletion"))) {
                  ((MetaStoreCallback<?>) arguments[2])
                      .operationFailed(new MetaStoreException("Fault: not deleted"));
                  return null;
                }
                if (method.getName().equals("asyncUpdateCursorInfo")
                    && declared(arguments[2]).isPresent()
                    && isAbout("hold", arguments[0])) {
                  Files.move(FOLDER.resolve("hold"), FOLDER.resolve("held"));
                  new Thread(() -> callWhenReleased(method, real, arguments)).start();
                  return null;
                }
                if (method.getName().equals("asyncUpdateCursorInfo")
                    && isAbout(
                        declared(arguments[2]).isEmpty() ? "halt" : "halt when declared",
                        arguments[0])) {
                  arguments[4] =
                      new MetaStoreCallback<Void>() {
                        @Override
                        public void operationComplete(Void result, Stat stat) {
                          Runtime.getRuntime().halt(1);
                        }

                        @Override
                        public void operationFailed(MetaStoreException e) {}
                      };
                }
                if (method.getName().equals("asyncUpdateCursorInfo")
                    && declared(arguments[2]).isEmpty()
                    && isAbout("revocation", arguments[0])) {
                  Files.delete(FOLDER.resolve("revocation"));
                  arguments[4] = withoutAnAnswer((MetaStoreCallback<Void>) arguments[4]);
                }
                if (method.getName().equals("asyncUpdateCursorInfo")
                    && declared(arguments[2]).filter(log -> log.endsWith("/")).isPresent()
                    && Files.deleteIfExists(FOLDER.resolve("property"))) {
                  MetaStoreCallback<Void> callback = (MetaStoreCallback<Void>) arguments[4];
                  if (Files.deleteIfExists(FOLDER.resolve("property in conflict"))) {
                    callback.operationFailed(new BadVersionException("Fault: written meanwhile"));
                    return null;
                  }
                  if (Files.deleteIfExists(FOLDER.resolve("property not applied"))) {
                    callback.operationFailed(new MetaStoreException("Fault: not written"));
                    return null;
                  }
                  arguments[4] = withoutAnAnswer(callback);
                }
                try {
                  return method.invoke(real, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });
        }

        private static void callWhenReleased(Method method, Object target, Object[] arguments) {
          try {
            while (Files.exists(FOLDER.resolve("held"))) {
              Thread.sleep(1);
            }
            method.invoke(target, arguments);
          } catch (Exception e) {
            e.printStackTrace();
          }
        }

        /** Whether something is to happen, and to a topic of that name. */
        private static boolean isAbout(String fault, Object name) throws IOException {
          try {
            return !isPositions(name)
                && Files.exists(FOLDER.resolve(fault))
                && name.toString().contains(Files.readString(FOLDER.resolve(fault)));
          } catch (NoSuchFileException e) {
            return false;
          }
        }

        private static MetaStoreCallback<Void> withoutAnAnswer(MetaStoreCallback<Void> callback) {
          return new MetaStoreCallback<Void>() {
            @Override
            public void operationComplete(Void result, Stat stat) {
              callback.operationFailed(new MetaStoreException("Fault: written, without an answer"));
            }

            @Override
            public void operationFailed(MetaStoreException e) {
              callback.operationFailed(e);
            }
          };
        }

        /**
         * The log that a cursor's record declares. What the metadata store has of a cursor is of
         * another class from 4.2 on.
         */
        private static Optional<String> declared(Object cursorInfo) {
          return ((List<?>) get(cursorInfo, "getCursorPropertiesList"))
              .stream()
                  .filter(property -> get(property, "getName").equals(DECLARED))
                  .map(property -> get(property, "getValue").toString())
                  .findAny();
        }

        private static Object get(Object target, String getter) {
          try {
            return target.getClass().getMethod(getter).invoke(target);
          } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
          }
        }

        private static ManagedCursor cursor(PulsarService pulsar, String topic) {
          return ((PersistentTopic) pulsar.getBrokerService().getTopicReference(topic).orElseThrow())
              .getSubscription("all")
              .getCursor();
        }

        private static boolean isPositions(Object name) {
          return name.toString().startsWith("pulsar-broadcast/positions/");
        }

        private void watch(PulsarService pulsar, ManagedLedgerFactoryImpl factory) {
          try {
            Field state = ManagedLedgerImpl.class.getDeclaredField("state");
            state.setAccessible(true);
            List<ManagedLedgerImpl> hung = new ArrayList<>();
            while (true) {
              Thread.sleep(20);
              try {
                doWhatIsAsked(pulsar, factory, state, hung);
              } catch (Exception e) {
                // It is tried again; the broker may have written of the same cursor, for instance.
                e.printStackTrace();
              }
            }
          } catch (Exception e) {
            e.printStackTrace();
          }
        }

        private static void doWhatIsAsked(
            PulsarService pulsar,
            ManagedLedgerFactoryImpl factory,
            Field state,
            List<ManagedLedgerImpl> hung)
            throws Exception {
          if (Files.exists(FOLDER.resolve("write"))) {
            String wanted = Files.readString(FOLDER.resolve("write"));
            for (var open : factory.getManagedLedgers().entrySet()) {
              if (isPositions(open.getKey())) {
                state.set(open.getValue(), ManagedLedgerImpl.State.valueOf(wanted));
              }
            }
            Files.delete(FOLDER.resolve("write"));
          }
          if (Files.exists(FOLDER.resolve("hang"))) {
            String topic = Files.readString(FOLDER.resolve("hang"));
            for (var open : factory.getManagedLedgers().entrySet()) {
              if (isPositions(open.getKey()) && open.getKey().contains(topic)) {
                state.set(open.getValue(), ManagedLedgerImpl.State.CreatingLedger);
                hung.add((ManagedLedgerImpl) open.getValue());
              }
            }
            Files.delete(FOLDER.resolve("hang"));
          }
          if (Files.exists(FOLDER.resolve("answer"))) {
            for (ManagedLedgerImpl log : hung) {
              if (state.get(log) == ManagedLedgerImpl.State.CreatingLedger) {
                state.set(log, ManagedLedgerImpl.State.LedgerOpened);
              }
              answer(log);
            }
            hung.clear();
            Files.delete(FOLDER.resolve("answer"));
          }
          if (Files.exists(FOLDER.resolve("unreadable"))) {
            hideFirstLedger(
                (ManagedLedgerImpl)
                    cursor(pulsar, Files.readString(FOLDER.resolve("unreadable")))
                        .getManagedLedger());
            Files.delete(FOLDER.resolve("unreadable"));
          }
          if (Files.exists(FOLDER.resolve("short"))) {
            recordFewer(
                (ManagedLedgerImpl)
                    cursor(pulsar, Files.readString(FOLDER.resolve("short"))).getManagedLedger());
            Files.delete(FOLDER.resolve("short"));
          }
          if (Files.exists(FOLDER.resolve("newer"))) {
            String topic = Files.readString(FOLDER.resolve("newer"));
            for (var open : factory.getManagedLedgers().entrySet()) {
              if (isPositions(open.getKey()) && open.getKey().contains(topic)) {
                open.getValue().addEntry(new byte[] {'B', 6, 0, 0, 0, 0, 0, 0});
              }
            }
            Files.delete(FOLDER.resolve("newer"));
          }
          if (Files.exists(FOLDER.resolve("former"))) {
            String[] wanted = Files.readString(FOLDER.resolve("former")).split(" ");
            leaveFormerLog(
                pulsar, factory, wanted[0], wanted[1], wanted[2], Long.parseLong(wanted[3]));
            Files.delete(FOLDER.resolve("former"));
          }
          if (Files.exists(FOLDER.resolve("make"))) {
            factory.open(Files.readString(FOLDER.resolve("make")), onOneBookie()).close();
            Files.delete(FOLDER.resolve("make"));
          }
          if (Files.exists(FOLDER.resolve("declare"))) {
            String[] wanted = Files.readString(FOLDER.resolve("declare")).split(" ", 2);
            cursor(pulsar, wanted[0]).putCursorProperty(DECLARED, wanted[1]).join();
            Files.delete(FOLDER.resolve("declare"));
          }
          if (Files.exists(FOLDER.resolve("disown"))) {
            Supplier<CompletableFuture<Boolean>> owned =
                () -> CompletableFuture.completedFuture(false);
            ManagedCursor cursor = cursor(pulsar, Files.readString(FOLDER.resolve("disown")));
            set(ManagedLedgerImpl.class, cursor.getManagedLedger(), "mlOwnershipChecker", owned);
            Files.delete(FOLDER.resolve("disown"));
          }
          if (Files.exists(FOLDER.resolve("close"))) {
            closeAfterNextLookup(pulsar, factory, Files.readString(FOLDER.resolve("close")));
            Files.delete(FOLDER.resolve("close"));
          }
          if (Files.exists(FOLDER.resolve("forget"))) {
            ManagedCursor cursor = cursor(pulsar, Files.readString(FOLDER.resolve("forget")));
            set(ManagedCursorImpl.class, cursor, "cursorProperties", Map.of());
            Files.delete(FOLDER.resolve("forget"));
          }
          if (Files.exists(FOLDER.resolve("snapshot"))) {
            LedgerHandle ledger =
                pulsar
                    .getBookKeeperClient()
                    .createLedger(1, 1, DigestType.CRC32C, new byte[0]);
            ledger.close();
            cursor(pulsar, Files.readString(FOLDER.resolve("snapshot")))
                .putCursorProperty(
                    "#pulsar.internal.delayed.bucket_0_0", "" + ledger.getId())
                .join();
            Files.writeString(FOLDER.resolve("ledger"), "" + ledger.getId());
            Files.delete(FOLDER.resolve("snapshot"));
          }
          if (Files.exists(FOLDER.resolve("find"))) {
            try {
              pulsar
                  .getBookKeeperClient()
                  .openLedgerNoRecovery(
                      Long.parseLong(Files.readString(FOLDER.resolve("ledger"))),
                      DigestType.CRC32C,
                      new byte[0])
                  .close();
            } catch (BKException.BKNoSuchLedgerExistsOnMetadataServerException e) {
              Files.delete(FOLDER.resolve("ledger"));
            }
            Files.delete(FOLDER.resolve("find"));
          }
          if (Files.exists(FOLDER.resolve("look"))) {
            String topic = Files.readString(FOLDER.resolve("look"));
            Files.writeString(
                FOLDER.resolve("declared"),
                cursor(pulsar, topic).getCursorProperties().get(DECLARED));
            Files.write(
                FOLDER.resolve("open logs"),
                factory.getManagedLedgers().keySet().stream()
                    .filter(name -> isPositions(name) && name.contains(Codec.encode(topic)))
                    .toList());
            Files.delete(FOLDER.resolve("look"));
          }
          if (Files.exists(FOLDER.resolve("list"))) {
            String folder = Files.readString(FOLDER.resolve("list"));
            Files.write(
                FOLDER.resolve("listed"),
                pulsar.getLocalMetadataStore().getChildren(folder).join());
            Files.delete(FOLDER.resolve("list"));
          }
        }

        /**
         * Holds the position of a topic's only consumer, so that an acknowledgement has found its
         * consumer and has to wait, while the topic is closed.
         */
        private static void closeAfterNextLookup(
            PulsarService pulsar, ManagedLedgerFactoryImpl factory, String topic)
            throws Exception {
          Object consumer =
              ((PersistentTopic) pulsar.getBrokerService().getTopicReference(topic).orElseThrow())
                  .getSubscription("all")
                  .getConsumers()
                  .get(0);
          Method getter = consumer.getClass().getMethod("position");
          getter.setAccessible(true);
          Object position = getter.invoke(consumer);
          CountDownLatch held = new CountDownLatch(1);
          new Thread(
                  () -> {
                    synchronized (position) {
                      held.countDown();
                      try {
                        while (!isWaitedFor(position)) {
                          Thread.sleep(1);
                        }
                        pulsar.getAdminClient().topics().unloadAsync(topic);
                        while (factory.getManagedLedgers().keySet().stream()
                            .anyMatch(
                                name -> isPositions(name) && name.contains(Codec.encode(topic)))) {
                          Thread.sleep(1);
                        }
                      } catch (Exception e) {
                        e.printStackTrace();
                      }
                    }
                  })
              .start();
          held.await();
        }

        private static boolean isWaitedFor(Object monitor) {
          return Stream.of(ManagementFactory.getThreadMXBean().dumpAllThreads(false, false))
              .map(ThreadInfo::getLockInfo)
              .anyMatch(
                  lock ->
                      lock != null
                          && lock.getIdentityHashCode() == System.identityHashCode(monitor));
        }

        /** Writes what has waited; to a ledger that is closed by then, as bookies answer late. */
        private static void answer(ManagedLedgerImpl log) throws Exception {
          for (Object waiting : (Queue<?>) get(ManagedLedgerImpl.class, log, "pendingAddEntries")) {
            OpAddEntry add = (OpAddEntry) waiting;
            add.setLedger((LedgerHandle) get(ManagedLedgerImpl.class, log, "currentLedger"));
            add.initiate();
          }
        }

        private static Object get(Class<?> type, Object target, String name) throws Exception {
          Field field = type.getDeclaredField(name);
          field.setAccessible(true);
          return field.get(target);
        }

        private static void set(Class<?> type, Object target, String name, Object value)
            throws Exception {
          Field field = type.getDeclaredField(name);
          field.setAccessible(true);
          field.set(target, value);
        }

        /** Has what opens a ledger find one that could not be opened; until the topic is unloaded. */
        private static void hideFirstLedger(ManagedLedgerImpl ledger) throws Exception {
          Object opened = get(ManagedLedgerImpl.class, ledger, "ledgerCache");
          for (Method method : opened.getClass().getMethods()) {
            if (method.getName().equals("put")) {
              method.invoke(
                  opened,
                  ledger.getLedgersInfo().firstKey(),
                  CompletableFuture.failedFuture(
                      new ManagedLedgerException("Fault: ledger cannot be read")));
            }
          }
        }

        /**
         * Has it recorded that its first ledger has one entry less, as of one that could not be
         * closed. What is recorded is of another class from 4.2 on, which can be changed.
         */
        private static void recordFewer(ManagedLedgerImpl ledger) throws Exception {
          Map<Long, Object> ledgers = (Map) ledger.getLedgersInfo();
          long first = ledger.getLedgersInfo().firstKey();
          Object info = ledgers.get(first);
          long fewer = (Long) get(info, "getEntries") - 1;
          if (Stream.of(info.getClass().getMethods())
              .anyMatch(method -> method.getName().equals("toBuilder"))) {
            Object builder = get(info, "toBuilder");
            builder.getClass().getMethod("setEntries", long.class).invoke(builder, fewer);
            ledgers.put(first, get(builder, "build"));
          } else {
            info.getClass().getMethod("setEntries", long.class).invoke(info, fewer);
          }
          // Writes everything.
          ledger.setProperty("fault", "fewer entries");
        }

        /** What a plugin of format 2 leaves of a consumer that has acknowledged so many entries. */
        private static void leaveFormerLog(
            PulsarService pulsar,
            ManagedLedgerFactoryImpl factory,
            String topic,
            String subscription,
            String how,
            long acknowledged)
            throws Exception {
          ManagedCursor cursor =
              ((PersistentTopic) pulsar.getBrokerService().getTopicReference(topic).orElseThrow())
                  .getSubscription(subscription)
                  .getCursor();
          Position before = cursor.getMarkDeletedPosition();
          ManagedLedger log =
              factory.open(
                  "pulsar-broadcast/positions/persistent/"
                      + Codec.encode(topic)
                      + "-"
                      + Codec.encode(subscription),
                  onOneBookie());
          byte[] record = record(before.getLedgerId(), before.getEntryId() + acknowledged);
          if (how.equals("damaged")) {
            record[record.length - 5] ^= 1;
          }
          log.addEntry(record);
          log.close();
          if (!how.equals("unmarked")) {
            cursor.markDelete(before, Map.of("pulsar.broadcast", 1L));
          }
        }

        private static ManagedLedgerConfig onOneBookie() {
          return new ManagedLedgerConfig()
              .setEnsembleSize(1)
              .setWriteQuorumSize(1)
              .setAckQuorumSize(1);
        }

        private static byte[] record(long ledger, long entry) throws Exception {
          ByteArrayOutputStream bytes = new ByteArrayOutputStream();
          DataOutputStream out = new DataOutputStream(bytes);
          out.writeByte('B');
          out.writeByte(2);
          out.writeByte(3);
          new RoaringBitmap().serialize(out);
          out.writeInt(1);
          out.writeInt(0);
          out.writeUTF("car");
          out.writeLong(3_600);
          out.writeInt(1);
          out.writeLong(ledger);
          out.writeLong(entry);
          RoaringBitmap.bitmapOf(0).serialize(out);
          out.writeInt(0);
          out.writeInt(0);
          out.writeInt(1);
          out.writeLong(0);
          CRC32C crc = new CRC32C();
          crc.update(bytes.toByteArray());
          out.writeInt((int) crc.getValue());
          return bytes.toByteArray();
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
    Path interceptors = Files.createDirectory(folder.resolve("interceptors"));
    Files.copy(BrokerExtension.nar(), interceptors.resolve("pulsar-broadcast.nar"));
    TestNar.write(
        interceptors.resolve("faults.nar"),
        Path.of(System.getProperty("pulsar.home")),
        "Faults",
        SOURCE,
        "broker_interceptor.yml",
        "name: faults\ndescription: for a test\ninterceptorClass: Faults\n");
    return Broker.startWithTransactions(
        BrokerExtension.newBroker()
            .jvmOption("-Dfaults=" + folder)
            .setting("brokerInterceptorsDirectory", interceptors.toString())
            .setting("brokerInterceptors", "pulsar-broadcast,faults")
            .setting("maxSameAddressConsumersPerTopic", String.valueOf(MAX_CONSUMERS))
            // A thread held with an acknowledgement must not be the one that bookies answer to.
            .setting("bookkeeperClientSeparatedIoThreadsEnabled", "true")
            .setting(
                "delayedDeliveryTrackerFactoryClassName",
                "org.apache.pulsar.broker.delayed.BucketDelayedDeliveryTrackerFactory"));
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

  /** Has a record of version 6 in the log of a topic, which is open. */
  void storeNewerFormat(String topic) throws IOException {
    ask("newer", localNameOf(topic));
  }

  /** Asks for something, and waits until it is done. */
  private void ask(String what, String content) throws IOException {
    Path wanted = say(what, content);
    await().until(() -> !Files.exists(wanted));
  }

  private Path say(String what, String content) throws IOException {
    Path written = Files.writeString(folder.resolve("being written"), content);
    return Files.move(written, folder.resolve(what));
  }

  /** What is to happen to the next declaration of a log. */
  enum Declaration {
    /** It is not written, and answered with a failure. */
    NOT_WRITTEN,
    /** It is not written, because something else of the cursor was just before. */
    IN_CONFLICT,
    /** It is written, and answered with a failure. */
    WRITTEN,
    /** The same, and what is written cannot be read for once. */
    WRITTEN_AND_NOT_READ
  }

  void failNext(String topic, Declaration how) throws IOException {
    if (how == Declaration.NOT_WRITTEN) {
      Files.createFile(folder.resolve("property not applied"));
    }
    if (how == Declaration.IN_CONFLICT) {
      Files.createFile(folder.resolve("property in conflict"));
    }
    if (how == Declaration.WRITTEN_AND_NOT_READ) {
      say("unread", localNameOf(topic));
    }
    Files.createFile(folder.resolve("property"));
  }

  /** Whether what {@link #failNext} is about has not happened yet. */
  boolean isToFail() {
    return Files.exists(folder.resolve("property")) || Files.exists(folder.resolve("unread"));
  }

  /** The positions logs of a topic, in the metadata store. */
  List<String> logsOf(String topic) throws IOException {
    Path listed = folder.resolve("listed");
    Files.deleteIfExists(listed);
    ask("list", "/managed-ledgers/" + FOLDER + Codec.encode(topic));
    return Files.readAllLines(listed);
  }

  /** What a plugin of format 2 may have left of a subscription. */
  enum Former {
    /** A log, and a cursor that says so. */
    MARKED,
    /** A log, of which the cursor says nothing: a broker without the plugin moved it since. */
    UNMARKED,
    /** A log with a byte that is not what was written. */
    DAMAGED
  }

  /**
   * Leaves a log of format 2 to a plain subscription whose topic is loaded.
   *
   * @param acknowledged how many entries after the subscription's position the consumer "car" has
   *     acknowledged
   */
  void leaveFormerLog(String topic, String subscription, Former how, int acknowledged)
      throws IOException {
    ask(
        "former",
        topic
            + " "
            + subscription
            + " "
            + how.name().toLowerCase(Locale.ROOT)
            + " "
            + acknowledged);
  }

  /** Makes a log of the subscription "all" that has no records, and that nobody declares. */
  void makeLog(String topic, String generation) throws IOException {
    ask("make", FOLDER + Codec.encode(topic) + "/all~" + generation);
  }

  /** Has the cursor of the subscription "all" declare something as its log. */
  void declare(String topic, String value) throws IOException {
    ask("declare", topic + " " + value);
  }

  /** How a broker's knowledge of a topic is out of date that another broker serves meanwhile. */
  enum Stale {
    /** It finds out that it has lost the topic. */
    OWNER("disown"),
    /** It does not know what the cursor of the subscription "all" declares. */
    DECLARATION("forget");

    private final String fault;

    Stale(String fault) {
      this.fault = fault;
    }
  }

  /** Has the broker be in such a state until the topic is unloaded. */
  void makeStale(String topic, Stale what) throws IOException {
    ask(what.fault, topic);
  }

  /**
   * The topic is closed, and its positions are stored, while the next acknowledgement of its only
   * consumer is just being taken.
   */
  void closeWithinNextAcknowledgement(String topic) throws IOException {
    ask("close", topic);
  }

  /** Has the cursor of the subscription "all" name a stored bucket of delayed messages. */
  void leaveBucket(String topic) throws IOException {
    ask("snapshot", topic);
  }

  /** Whether what {@link #leaveBucket} has stored is there. */
  boolean isBucketLeft() throws IOException {
    ask("find", "");
    return Files.exists(folder.resolve("ledger"));
  }

  /** The next subscription to be deleted cannot be, because its cursor cannot. */
  void failNextDeletion() throws IOException {
    Files.createFile(folder.resolve("deletion"));
  }

  boolean isDeletionToFail() {
    return Files.exists(folder.resolve("deletion"));
  }

  /** What the cursor of the subscription "all" declares. */
  String declared(String topic) throws IOException {
    ask("look", topic);
    return Files.readString(folder.resolve("declared"));
  }

  /** The positions logs of a topic that are open in the broker. */
  List<String> openLogsOf(String topic) throws IOException {
    ask("look", topic);
    return Files.readAllLines(folder.resolve("open logs"));
  }

  /** A log under a name of before can be read, and not be opened again to be written, once. */
  void failNextWriteOfAFormerLog() throws IOException {
    Files.createFile(folder.resolve("former log, read"));
    Files.createFile(folder.resolve("former log, written"));
  }

  boolean isFormerLogToFail() {
    return Files.exists(folder.resolve("former log, written"));
  }

  /** The next declaration of a log for a topic is not written until {@link #release}. */
  void holdNextDeclaration(String topic) throws IOException {
    say("hold", localNameOf(topic));
  }

  boolean isDeclarationHeld() {
    return Files.exists(folder.resolve("held"));
  }

  void release() throws IOException {
    Files.delete(folder.resolve("held"));
  }

  /** The broker dies as soon as no log is declared any more for the subscription "all". */
  void haltWhenNothingIsDeclared(String topic) throws IOException {
    say("halt", localNameOf(topic));
  }

  /** The broker dies as soon as a log is declared for the subscription "all". */
  void haltWhenALogIsDeclared(String topic) throws IOException {
    say("halt when declared", localNameOf(topic));
  }

  /** Starts the broker again that died as it was told to. */
  void startAgain(Broker broker) throws Exception {
    await().until(() -> !broker.process().isAlive());
    Files.deleteIfExists(folder.resolve("halt"));
    Files.deleteIfExists(folder.resolve("halt when declared"));
    broker.process().start();
  }

  static String localNameOf(String topic) {
    return topic.substring(topic.lastIndexOf('/') + 1);
  }

  /** Leaves the logs that are open as after a write that failed. */
  void failWrite() throws IOException {
    ask("write", "WriteFailed");
  }

  /** From now on what is written to the open logs of a topic is not answered. */
  void hang(String topic) throws IOException {
    ask("hang", localNameOf(topic));
  }

  /** What has not been answered is; a log that is closed meanwhile takes nothing. */
  void answer() throws IOException {
    ask("answer", "");
  }

  /**
   * The next subscription of a topic that becomes plain has its log revoked, but the broker is not
   * told, and cannot find out at once.
   */
  void loseNextRevocation(String topic) throws IOException {
    say("unread", localNameOf(topic));
    say("revocation", localNameOf(topic));
  }

  /** Whether {@link #loseNextRevocation} has not happened yet. */
  boolean isRevocationToBeLost() {
    return Files.exists(folder.resolve("revocation")) || Files.exists(folder.resolve("unread"));
  }

  /** The first ledger of a topic cannot be opened any more, until the topic is unloaded. */
  void hideFirstLedger(String topic) throws IOException {
    ask("unreadable", topic);
  }

  /** The first ledger of a topic, which is not its last, has one entry more than is recorded. */
  void recordFewerEntries(String topic) throws IOException {
    ask("short", topic);
  }

  /** From now on the logs that are open take nothing. */
  void failWrites() throws IOException {
    ask("write", "Terminated");
  }

  /** The logs that are open are closed, as by another load of their topic. */
  void closeLogs() throws IOException {
    ask("write", "Closed");
  }

  /** They do again, as after a write that failed. */
  void takeWrites() throws IOException {
    ask("write", "ClosedLedger");
  }
}
