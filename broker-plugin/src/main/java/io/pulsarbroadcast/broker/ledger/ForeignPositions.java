/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.ledger;

import static io.pulsarbroadcast.broker.compat.LineCalls.BROKER;

import io.pulsarbroadcast.broker.compat.CursorMetadata;
import io.pulsarbroadcast.broker.compat.CursorState;
import io.pulsarbroadcast.broker.cursor.StoredPositions;
import io.pulsarbroadcast.broker.cursor.UnknownVersionException;
import io.pulsarbroadcast.broker.ledger.PositionsLogName.Owner;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.client.api.BKException;
import org.apache.bookkeeper.client.api.LedgerEntries;
import org.apache.bookkeeper.client.api.LedgerEntry;
import org.apache.bookkeeper.client.api.ReadHandle;
import org.apache.bookkeeper.mledger.AsyncCallbacks.ManagedLedgerInfoCallback;
import org.apache.bookkeeper.mledger.ManagedLedgerConfig;
import org.apache.bookkeeper.mledger.ManagedLedgerException;
import org.apache.bookkeeper.mledger.ManagedLedgerException.MetadataNotFoundException;
import org.apache.bookkeeper.mledger.ManagedLedgerInfo;
import org.apache.bookkeeper.mledger.ManagedLedgerInfo.LedgerInfo;
import org.apache.pulsar.broker.service.BrokerService;
import org.apache.pulsar.common.util.FutureUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the positions log of a subscription of another topic, which another broker may be
 * writing: it takes nothing away from that one, and fences only ledgers that it has left. It reads
 * what storage has confirmed, which {@link
 * io.pulsarbroadcast.broker.cursor.PositionsStore#followedIf} sees to. One thing at a time; after a
 * failure it goes on where it was.
 */
final class ForeignPositions {

  private static final int READ_ENTRIES = 100;
  private static final int NO_LEDGER = -1;

  /** What storage says of a ledger that has been deleted. */
  private static final Set<Integer> GONE =
      Set.of(
          BKException.Code.NoSuchLedgerExistsException,
          BKException.Code.NoSuchLedgerExistsOnMetadataServerException,
          BKException.Code.NoSuchEntryException);

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private static final Logger log = LoggerFactory.getLogger(ForeignPositions.class);

  private final BrokerService broker;
  private final ManagedLedgerConfig config;
  private final Owner owner;

  /** Which log it is; null: the subscription has none. */
  private String generation;

  private StoredPositions positions = new StoredPositions();

  /** What is to be read next. */
  private long ledgerId;

  private long entryId;

  /** Whether it cannot be read on; its topic begins another one when it is loaded. */
  private boolean damaged;

  /**
   * @param config how the broker opens ledgers
   */
  ForeignPositions(BrokerService broker, ManagedLedgerConfig config, Owner owner) {
    this.broker = broker;
    this.config = config;
    this.owner = owner;
  }

  /**
   * Reads on to what is on storage now.
   *
   * @return nothing when there is no such subscription, it is not Broadcast, or its positions are
   *     lost; fails with an {@link UnknownVersionException} when only a newer version can read
   *     them, and otherwise when that may be tried again.
   */
  CompletableFuture<StoredPositions> read() {
    return cursor().thenCompose(this::read);
  }

  private CompletableFuture<Optional<CursorMetadata>> cursor() {
    return CursorState.read(broker.getPulsar().getLocalMetadataStore(), owner.metadata());
  }

  private CompletableFuture<StoredPositions> read(Optional<CursorMetadata> cursor) {
    if (cursor.isPresent() && DeclaredLog.isUnknown(cursor.get().properties())) {
      return CompletableFuture.failedFuture(
          new UnknownVersionException(
              "the positions of subscription %s of %s are declared in a format that it does not know"
                  .formatted(owner.subscription(), owner.topic())));
    }
    begin(generationOf(cursor));
    if (generation == null || damaged) {
      return CompletableFuture.completedFuture(positions);
    }
    return readOn(NO_LEDGER)
        .thenCompose(done -> checked())
        .exceptionallyCompose(this::unlessDamaged)
        .thenCompose(this::unlessUnconfirmed);
  }

  private static String generationOf(Optional<CursorMetadata> cursor) {
    return cursor
        .map(found -> DeclaredLog.of(found.properties()))
        .map(DeclaredLog::generation)
        .orElse(null);
  }

  /** Begins another log, unless it is the same. */
  private void begin(String declared) {
    if (declared == null || !declared.equals(generation)) {
      generation = declared;
      positions = new StoredPositions();
      ledgerId = 0;
      entryId = 0;
      damaged = false;
    }
  }

  private CompletableFuture<StoredPositions> checked() {
    try {
      positions.check();
      return CompletableFuture.completedFuture(positions);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<StoredPositions> unlessDamaged(Throwable failure) {
    Throwable cause = FutureUtil.unwrapCompletionException(failure);
    boolean lost = cause instanceof IOException || PositionsLedger.isDamage(cause);
    if (!lost || cause instanceof UnknownVersionException) {
      return CompletableFuture.failedFuture(cause);
    }
    return cursor()
        .thenCompose(
            cursor ->
                generation.equals(generationOf(cursor))
                    ? CompletableFuture.completedFuture(lost(cause))
                    // The subscription has been deleted meanwhile, its ledgers first.
                    : read(cursor));
  }

  private StoredPositions lost(Throwable cause) {
    log.error(
        "[{}][{}] The positions stored there cannot be read, and count as lost: {}",
        owner.topic(),
        owner.subscription(),
        cause.getMessage());
    damaged = true;
    positions = new StoredPositions();
    return positions;
  }

  /** A log begins with a record, of which storage does not tell at once. */
  private CompletableFuture<StoredPositions> unlessUnconfirmed(StoredPositions read) {
    return generation != null && read.isNothing() && !damaged
        ? CompletableFuture.failedFuture(
            new IllegalStateException(
                "the positions log of subscription %s of %s has no record that is certain to stay"
                    .formatted(owner.subscription(), owner.topic())))
        : CompletableFuture.completedFuture(read);
  }

  /**
   * Reads on in all ledgers of the log.
   *
   * @param missing a ledger that is not there: it has been trimmed since, or the log is damaged
   */
  private CompletableFuture<Void> readOn(long missing) {
    return ledgers()
        .thenCompose(
            all ->
                all.stream().anyMatch(ledger -> ledger.ledgerId == missing)
                    ? CompletableFuture.failedFuture(
                        new IOException("ledger %d is missing".formatted(missing)))
                    : readAll(all))
        .exceptionallyCompose(
            e -> isGone(e) ? readOn(ledgerId) : CompletableFuture.failedFuture(e));
  }

  private static boolean isGone(Throwable failure) {
    return FutureUtil.unwrapCompletionException(failure) instanceof BKException e
        && GONE.contains(e.getCode());
  }

  /** The log's ledgers, the last of which may be open; none: it has just been deleted. */
  private CompletableFuture<List<LedgerInfo>> ledgers() {
    CompletableFuture<List<LedgerInfo>> found = new CompletableFuture<>();
    BROKER
        .managedLedgerFactory(broker)
        .asyncGetManagedLedgerInfo(
            PositionsLogName.of(owner.topic(), owner.subscription(), generation),
            new ManagedLedgerInfoCallback() {
              @Override
              public void getInfoComplete(ManagedLedgerInfo info, Object ctx) {
                found.complete(info.ledgers);
              }

              @Override
              public void getInfoFailed(ManagedLedgerException exception, Object ctx) {
                if (exception instanceof MetadataNotFoundException) {
                  found.complete(List.of());
                } else {
                  found.completeExceptionally(exception);
                }
              }
            },
            null);
    return found;
  }

  private CompletableFuture<Void> readAll(List<LedgerInfo> ledgers) {
    CompletableFuture<Void> read = DONE;
    for (LedgerInfo ledger : ledgers) {
      if (ledger.ledgerId >= ledgerId) {
        boolean last = ledger == ledgers.get(ledgers.size() - 1);
        read = read.thenCompose(before -> read(ledger.ledgerId, last));
      }
    }
    return read;
  }

  /**
   * @param last whether it is the last one of the log, which stays its writer's; others have
   *     perhaps not been closed
   */
  private CompletableFuture<Void> read(long id, boolean last) {
    if (id > ledgerId) {
      // What was before and is trimmed is in a snapshot that follows.
      ledgerId = id;
      entryId = 0;
    }
    return broker
        .getPulsar()
        .getBookKeeperClient()
        .newOpenLedgerOp()
        .withRecovery(!last)
        .withLedgerId(id)
        .withDigestType(config.getDigestType())
        .withPassword(config.getPassword())
        .execute()
        .thenCompose(
            ledger ->
                readConfirmed(ledger)
                    .handle((read, e) -> closed(ledger, e))
                    .thenCompose(closed -> closed));
  }

  private static CompletableFuture<Void> closed(ReadHandle ledger, Throwable failure) {
    return ledger
        .closeAsync()
        .handle(
            (closed, e) -> failure == null ? DONE : CompletableFuture.<Void>failedFuture(failure))
        .thenCompose(done -> done);
  }

  private CompletableFuture<Void> readConfirmed(ReadHandle ledger) {
    long last = ledger.getLastAddConfirmed();
    return entryId > last
        ? DONE
        : ledger
            .readAsync(entryId, Math.min(last, entryId + READ_ENTRIES - 1))
            .thenCompose(this::apply)
            .thenCompose(read -> readConfirmed(ledger));
  }

  private CompletableFuture<Void> apply(LedgerEntries entries) {
    try (entries) {
      for (LedgerEntry entry : entries) {
        positions.apply(entry.getEntryBytes());
        entryId = entry.getEntryId() + 1;
      }
      return DONE;
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
