/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.zip.CRC32C;
import org.roaringbitmap.RoaringBitmap;

/** Records as former versions of the plugin wrote them. */
final class FormerFormats {

  private FormerFormats() {}

  /** A snapshot of one name with one position. */
  static byte[] record(int version, String name, long ledgerId, long entryId) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.write(new byte[] {'B', (byte) version, 3});
      new RoaringBitmap().serialize(out);
      out.writeInt(1);
      out.writeInt(0);
      out.writeUTF(name);
      out.writeLong(3600);
      out.writeInt(1);
      out.writeLong(ledgerId);
      out.writeLong(entryId);
      RoaringBitmap.bitmapOf(0).serialize(out);
      out.writeInt(0);
      if (version > 1) {
        out.writeInt(0);
        out.writeInt(1);
        out.writeLong(4711);
      }
      CRC32C crc = new CRC32C();
      crc.update(bytes.toByteArray());
      out.writeInt((int) crc.getValue());
    }
    return bytes.toByteArray();
  }
}
