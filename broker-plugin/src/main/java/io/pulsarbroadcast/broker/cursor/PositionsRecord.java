/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import io.pulsarbroadcast.broker.cursor.LedgerIndex.EntryId;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
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
 * it.
 *
 * <pre>
 * magic 'B', version 1, flags (1: first of a snapshot, 2: last of a snapshot; a delta has neither)
 * bitmap         numbers that are no more; applied first
 * int names      { int number, UTF name, long time to live in seconds }
 * int positions  { long ledger, long entry: the last acknowledged; bitmap numbers }
 * int holes      { int number; int ledgers { long ledger, bitmap entries acknowledged after the position } }
 * int            CRC32C of all before it
 * </pre>
 */
final class PositionsRecord {

  static final int VERSION = 1;
  private static final int MAGIC = 'B';
  private static final int FIRST = 1;
  private static final int LAST = 2;
  private static final int CRC_BYTES = 4;

  /** A name as stored. */
  record StoredName(String name, long ttlSeconds) {}

  final boolean firstOfSnapshot;
  final boolean lastOfSnapshot;
  final Map<Integer, StoredName> names = new LinkedHashMap<>();
  final Map<EntryId, RoaringBitmap> positions = new LinkedHashMap<>();
  final Map<Integer, Map<Long, RoaringBitmap>> holes = new LinkedHashMap<>();
  final RoaringBitmap removed = new RoaringBitmap();

  PositionsRecord(boolean firstOfSnapshot, boolean lastOfSnapshot) {
    this.firstOfSnapshot = firstOfSnapshot;
    this.lastOfSnapshot = lastOfSnapshot;
  }

  void put(int number, EntryId acknowledged) {
    positions.computeIfAbsent(acknowledged, entry -> new RoaringBitmap()).add(number);
  }

  /** Adds an entry acknowledged after the number's position, which is in this record too. */
  void putHole(int number, EntryId acknowledged) {
    if (acknowledged.entryId() <= Integer.MAX_VALUE) {
      holes
          .computeIfAbsent(number, consumer -> new LinkedHashMap<>())
          .computeIfAbsent(acknowledged.ledgerId(), ledger -> new RoaringBitmap())
          .add((int) acknowledged.entryId());
    }
  }

  boolean isEmpty() {
    return names.isEmpty() && positions.isEmpty() && holes.isEmpty() && removed.isEmpty();
  }

  byte[] encode() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(MAGIC);
      out.writeByte(VERSION);
      out.writeByte((firstOfSnapshot ? FIRST : 0) | (lastOfSnapshot ? LAST : 0));
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
      out.writeInt(checksum(bytes.toByteArray(), bytes.size()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /**
   * Reads a record.
   *
   * @throws IOException saying what is wrong: not a record, of a later version, or damaged
   */
  static PositionsRecord decode(byte[] bytes) throws IOException {
    if (bytes.length < 3 + CRC_BYTES || bytes[0] != MAGIC) {
      throw new IOException("not a record of positions, " + bytes.length + " bytes");
    }
    if (bytes[1] != VERSION) {
      throw new IOException(
          "version " + bytes[1] + " of the positions format; known is " + VERSION);
    }
    int checked = bytes.length - CRC_BYTES;
    if (ByteBuffer.wrap(bytes, checked, CRC_BYTES).getInt() != checksum(bytes, checked)) {
      throw new IOException("damaged record of positions: its checksum does not match");
    }
    PositionsRecord record = new PositionsRecord((bytes[2] & FIRST) != 0, (bytes[2] & LAST) != 0);
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes, 3, checked - 3));
    record.removed.or(readBitmap(in));
    for (int i = in.readInt(); i > 0; i--) {
      record.names.put(in.readInt(), new StoredName(in.readUTF(), in.readLong()));
    }
    for (int i = in.readInt(); i > 0; i--) {
      record.positions.put(new EntryId(in.readLong(), in.readLong()), readBitmap(in));
    }
    for (int i = in.readInt(); i > 0; i--) {
      Map<Long, RoaringBitmap> byLedger = new LinkedHashMap<>();
      record.holes.put(in.readInt(), byLedger);
      for (int j = in.readInt(); j > 0; j--) {
        byLedger.put(in.readLong(), readBitmap(in));
      }
    }
    return record;
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
