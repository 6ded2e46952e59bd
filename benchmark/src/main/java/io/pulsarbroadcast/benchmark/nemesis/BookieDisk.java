/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.nemesis;

import java.util.Locale;

/** The two disks of a bookie, small enough to be filled; entries need room beside that. */
enum BookieDisk {
  JOURNAL(64),
  LEDGERS(192);

  final int megabytes;

  BookieDisk(int megabytes) {
    this.megabytes = megabytes;
  }

  /** Its name among all disks. */
  String nameOf(String bookie) {
    return bookie + "-" + this;
  }

  /** Where the bookie has it. */
  String folder() {
    return "/pulsar/data/bookkeeper/" + this;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
