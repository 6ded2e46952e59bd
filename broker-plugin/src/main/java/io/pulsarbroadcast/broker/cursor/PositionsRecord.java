/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import io.pulsarbroadcast.broker.cursor.LedgerIndex.EntryId;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.roaringbitmap.RoaringBitmap;

/**
 * One record of the positions log of a Broadcast subscription: part of a snapshot, or what changed
 * since the record before. Not thread-safe.
 *
 * <p>Names are written once, with a small number; positions as "this entry: these numbers", because
 * nearly everybody stands at the same few places: 100,000 consumers at one place are one position
 * and one run of a bitmap.
 *
 * <p>A position replaces all that was known of its number; the holes in the same record belong to
 * it, and what is left beside it. It is that of the connected consumers when somebody is left
 * beside it.
 *
 * <pre>
 * magic 'B', version 4 or, with arrivals, 5, flags (1: first of a snapshot, 2: last of a snapshot; a delta
 *                has neither; 4: the last of a log that goes on elsewhere)
 * bitmap         numbers that are no more; applied first
 * int names      { int number, UTF name, long time to live in seconds }
 * int positions  { long ledger, long entry: the last acknowledged; bitmap numbers }
 * int holes      { int number; int ledgers { long ledger, bitmap entries acknowledged after the position } }
 * int parts      { int number; int batches { long ledger, long entry; int words { long: a bit per unacknowledged message } } }
 * int            place among the records of a snapshot, 1 for the first; 0: a delta
 * long           what the records of one snapshot have in common, and no others
 *                (version 1 ends with the holes, version 2 here)
 * int counts     { int positions under one name, where not as before or 1; bitmap numbers }
 * int times      { long milliseconds since 1970: last seen; 0: connected; bitmap numbers }
 *                (version 3 ends here)
 * int left       { int number; int how many of the count are away; int positions { long ledger,
 *                  long entry: the last acknowledged; long milliseconds since 1970: when the first left;
 *                  long: when the last left; int: how many left } }
 *                (version 4 ends here)
 * int arrivals   { int how often consumers have come to one of the topics that share it, where not 0;
 *                  bitmap numbers }
 * int            CRC32C of all before it
 * </pre>
 */
final class PositionsRecord {

  static final int VERSION = 5;
  private static final int VERSION_WITHOUT_ARRIVALS = 4;
  private static final int VERSION_WITHOUT_LEFT = 3;
  private static final int VERSION_WITHOUT_COUNTS = 2;
  private static final int VERSION_WITHOUT_PARTS = 1;

  /** A time last seen: the consumer is connected. */
  static final long CONNECTED = 0;

  private static final int MAGIC = 'B';
  private static final int FIRST = 1;
  private static final int LAST = 2;
  private static final int RETIRED = 4;
  private static final int CRC_BYTES = 4;

  /** A name as stored. */
  record StoredName(String name, long ttlSeconds) {}

  /**
   * What is left behind under a name, as stored.
   *
   * @param waiting how many consumers are away
   */
  record StoredLeft(int waiting, List<StoredLeftPosition> positions) {
    static final StoredLeft NOTHING = new StoredLeft(0, List.of());
  }

  /** One of its positions, as of {@link LeftPosition}. */
  record StoredLeftPosition(EntryId acknowledged, long firstMillis, long lastMillis, int leaves) {}

  boolean firstOfSnapshot;
  boolean lastOfSnapshot;

  /** What was before it is in another log. */
  boolean retired;

  /** The record's place in its snapshot, from 1 on; 0: a delta; negative: not known. */
  int placeInSnapshot;

  /** Random; tells the records of one snapshot from those of another. */
  long snapshotId;

  final Map<Integer, StoredName> names = new LinkedHashMap<>();
  final Map<EntryId, RoaringBitmap> positions = new LinkedHashMap<>();
  final Map<Integer, Map<Long, RoaringBitmap>> holes = new LinkedHashMap<>();

  /** Per number, the batches that are acknowledged in part, with the messages that are not. */
  final Map<Integer, Map<EntryId, long[]>> parts = new LinkedHashMap<>();

  /** How many positions there are under the names of these numbers; else as before, or 1. */
  final Map<Integer, RoaringBitmap> counts = new LinkedHashMap<>();

  /** When the last consumer under the names of these numbers left; {@link #CONNECTED}: not yet. */
  final Map<Long, RoaringBitmap> lastSeenMillis = new LinkedHashMap<>();

  /** Per number, what is left behind beside its position. */
  final Map<Integer, StoredLeft> left = new LinkedHashMap<>();

  /**
   * How often consumers of these numbers have come to one of the topics that share their positions;
   * else not known. Without any the record is of the version before, which former versions of the
   * plugin read.
   */
  final Map<Integer, RoaringBitmap> arrivals = new LinkedHashMap<>();

  final RoaringBitmap removed = new RoaringBitmap();

  /** Where the last position was put: the next is mostly there too. */
  private EntryId lastPlace;

  private RoaringBitmap lastNumbers;

  private int approximateBytes;

  void putName(int number, String name, long ttlSeconds) {
    names.put(number, new StoredName(name, ttlSeconds));
    approximateBytes += 16 + 3 * name.length();
  }

  void putCount(int number, int positions) {
    counts.computeIfAbsent(positions, this::emptyBitmap).add(number);
    approximateBytes += 2;
  }

  void putArrivals(int number, int times) {
    arrivals.computeIfAbsent(times, this::emptyBitmap).add(number);
    approximateBytes += 2;
  }

  void putLastSeen(int number, long millis) {
    lastSeenMillis.computeIfAbsent(millis, this::emptyBitmap).add(number);
    approximateBytes += 2;
  }

  void put(int number, EntryId acknowledged) {
    if (!acknowledged.equals(lastPlace)) {
      lastPlace = acknowledged;
      lastNumbers = positions.computeIfAbsent(acknowledged, this::emptyBitmap);
    }
    lastNumbers.add(number);
    approximateBytes += 2;
  }

  /** Adds an entry acknowledged after the number's position, which is in this record too. */
  void putHole(int number, EntryId acknowledged) {
    if (acknowledged.entryId() <= Integer.MAX_VALUE) {
      holes
          .computeIfAbsent(number, consumer -> new LinkedHashMap<>())
          .computeIfAbsent(acknowledged.ledgerId(), this::emptyBitmap)
          .add((int) acknowledged.entryId());
      approximateBytes += 2;
    }
  }

  /** Adds a batch acknowledged in part, at or after the number's position. */
  void putPart(int number, EntryId batch, long[] remaining) {
    parts.computeIfAbsent(number, consumer -> new LinkedHashMap<>()).put(batch, remaining);
    approximateBytes += 20 + remaining.length * Long.BYTES;
  }

  /** Adds what is left behind beside the number's position, which is in this record too. */
  void putLeft(int number, int waiting) {
    left.put(number, new StoredLeft(waiting, new ArrayList<>()));
    approximateBytes += 12;
  }

  /** Adds a position to it. */
  void putLeft(int number, StoredLeftPosition position) {
    left.get(number).positions().add(position);
    approximateBytes += 36;
  }

  private RoaringBitmap emptyBitmap(Object key) {
    approximateBytes += 40;
    return new RoaringBitmap();
  }

  boolean isEmpty() {
    return names.isEmpty()
        && positions.isEmpty()
        && removed.isEmpty()
        && counts.isEmpty()
        && lastSeenMillis.isEmpty();
  }

  /** About how many bytes the record takes; rather too many. */
  int approximateBytes() {
    return approximateBytes;
  }

  byte[] encode() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(MAGIC);
      out.writeByte(arrivals.isEmpty() ? VERSION_WITHOUT_ARRIVALS : VERSION);
      out.writeByte(
          (firstOfSnapshot ? FIRST : 0) | (lastOfSnapshot ? LAST : 0) | (retired ? RETIRED : 0));
      write(removed, out);
      out.writeInt(names.size());
      for (Map.Entry<Integer, StoredName> name : names.entrySet()) {
        out.writeInt(name.getKey());
        out.writeUTF(name.getValue().name());
        out.writeLong(name.getValue().ttlSeconds());
      }
      out.writeInt(positions.size());
      for (Map.Entry<EntryId, RoaringBitmap> position : positions.entrySet()) {
        out.writeLong(position.getKey().ledgerId());
        out.writeLong(position.getKey().entryId());
        write(position.getValue(), out);
      }
      out.writeInt(holes.size());
      for (Map.Entry<Integer, Map<Long, RoaringBitmap>> consumer : holes.entrySet()) {
        out.writeInt(consumer.getKey());
        out.writeInt(consumer.getValue().size());
        for (Map.Entry<Long, RoaringBitmap> ledger : consumer.getValue().entrySet()) {
          out.writeLong(ledger.getKey());
          write(ledger.getValue(), out);
        }
      }
      out.writeInt(parts.size());
      for (Map.Entry<Integer, Map<EntryId, long[]>> consumer : parts.entrySet()) {
        out.writeInt(consumer.getKey());
        out.writeInt(consumer.getValue().size());
        for (Map.Entry<EntryId, long[]> batch : consumer.getValue().entrySet()) {
          out.writeLong(batch.getKey().ledgerId());
          out.writeLong(batch.getKey().entryId());
          out.writeInt(batch.getValue().length);
          for (long word : batch.getValue()) {
            out.writeLong(word);
          }
        }
      }
      out.writeInt(placeInSnapshot);
      out.writeLong(snapshotId);
      out.writeInt(counts.size());
      for (Map.Entry<Integer, RoaringBitmap> count : counts.entrySet()) {
        out.writeInt(count.getKey());
        write(count.getValue(), out);
      }
      out.writeInt(lastSeenMillis.size());
      for (Map.Entry<Long, RoaringBitmap> time : lastSeenMillis.entrySet()) {
        out.writeLong(time.getKey());
        write(time.getValue(), out);
      }
      out.writeInt(left.size());
      for (Map.Entry<Integer, StoredLeft> name : left.entrySet()) {
        out.writeInt(name.getKey());
        out.writeInt(name.getValue().waiting());
        out.writeInt(name.getValue().positions().size());
        for (StoredLeftPosition position : name.getValue().positions()) {
          out.writeLong(position.acknowledged().ledgerId());
          out.writeLong(position.acknowledged().entryId());
          out.writeLong(position.firstMillis());
          out.writeLong(position.lastMillis());
          out.writeInt(position.leaves());
        }
      }
      if (!arrivals.isEmpty()) {
        out.writeInt(arrivals.size());
        for (Map.Entry<Integer, RoaringBitmap> times : arrivals.entrySet()) {
          out.writeInt(times.getKey());
          write(times.getValue(), out);
        }
      }
      out.writeInt(checksum(bytes.toByteArray(), bytes.size()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /**
   * Reads a record.
   *
   * @throws UnknownVersionException when it is of a later version
   * @throws IOException saying what is wrong: not a record, or damaged
   */
  static PositionsRecord decode(byte[] bytes) throws IOException {
    if (bytes.length < 3 + CRC_BYTES || bytes[0] != MAGIC) {
      throw new IOException("not a record of positions, " + bytes.length + " bytes");
    }
    int version = bytes[1];
    if (version < VERSION_WITHOUT_PARTS || version > VERSION) {
      throw new UnknownVersionException(
          "version "
              + version
              + " of the positions format; known are "
              + VERSION_WITHOUT_PARTS
              + " to "
              + VERSION);
    }
    int checked = bytes.length - CRC_BYTES;
    if (ByteBuffer.wrap(bytes, checked, CRC_BYTES).getInt() != checksum(bytes, checked)) {
      throw new IOException("damaged record of positions: its checksum does not match");
    }
    PositionsRecord record = new PositionsRecord();
    record.firstOfSnapshot = (bytes[2] & FIRST) != 0;
    record.lastOfSnapshot = (bytes[2] & LAST) != 0;
    record.retired = (bytes[2] & RETIRED) != 0;
    try {
      record.read(new DataInputStream(new ByteArrayInputStream(bytes, 3, checked - 3)), version);
    } catch (EOFException | RuntimeException e) { // of a bitmap, for example
      throw new IOException("damaged record of positions: " + e, e);
    }
    return record;
  }

  private void read(DataInputStream in, int version) throws IOException {
    removed.or(readBitmap(in));
    for (int i = in.readInt(); i > 0; i--) {
      names.put(in.readInt(), new StoredName(in.readUTF(), in.readLong()));
    }
    for (int i = in.readInt(); i > 0; i--) {
      positions.put(new EntryId(in.readLong(), in.readLong()), readBitmap(in));
    }
    for (int i = in.readInt(); i > 0; i--) {
      Map<Long, RoaringBitmap> byLedger = new LinkedHashMap<>();
      holes.put(in.readInt(), byLedger);
      for (int j = in.readInt(); j > 0; j--) {
        byLedger.put(in.readLong(), readBitmap(in));
      }
    }
    if (version == VERSION_WITHOUT_PARTS) {
      placeInSnapshot = -1;
    } else {
      readParts(in);
      placeInSnapshot = in.readInt();
      snapshotId = in.readLong();
    }
    if (version > VERSION_WITHOUT_COUNTS) {
      for (int i = in.readInt(); i > 0; i--) {
        counts.put(in.readInt(), readBitmap(in));
      }
      for (int i = in.readInt(); i > 0; i--) {
        lastSeenMillis.put(in.readLong(), readBitmap(in));
      }
    }
    if (version > VERSION_WITHOUT_LEFT) {
      readLeft(in);
    }
    if (version > VERSION_WITHOUT_ARRIVALS) {
      for (int i = in.readInt(); i > 0; i--) {
        arrivals.put(in.readInt(), readBitmap(in));
      }
    }
  }

  private void readParts(DataInputStream in) throws IOException {
    for (int i = in.readInt(); i > 0; i--) {
      int number = in.readInt();
      for (int j = in.readInt(); j > 0; j--) {
        EntryId batch = new EntryId(in.readLong(), in.readLong());
        int words = in.readInt();
        if (words < 0 || words > in.available() / Long.BYTES) {
          throw new IOException("damaged record of positions: a batch of " + words + " words");
        }
        long[] remaining = new long[words];
        for (int k = 0; k < remaining.length; k++) {
          remaining[k] = in.readLong();
        }
        putPart(number, batch, remaining);
      }
    }
  }

  private void readLeft(DataInputStream in) throws IOException {
    for (int i = in.readInt(); i > 0; i--) {
      int number = in.readInt();
      putLeft(number, in.readInt());
      for (int j = in.readInt(); j > 0; j--) {
        putLeft(
            number,
            new StoredLeftPosition(
                new EntryId(in.readLong(), in.readLong()),
                in.readLong(),
                in.readLong(),
                in.readInt()));
      }
    }
  }

  private static void write(RoaringBitmap bitmap, DataOutputStream out) throws IOException {
    bitmap.runOptimize();
    bitmap.serialize(out);
  }

  private static RoaringBitmap readBitmap(DataInputStream in) throws IOException {
    RoaringBitmap bitmap = new RoaringBitmap();
    bitmap.deserialize(in);
    return bitmap;
  }

  private static int checksum(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }
}
