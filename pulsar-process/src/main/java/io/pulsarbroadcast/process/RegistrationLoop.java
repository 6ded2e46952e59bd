/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import java.util.regex.Pattern;

/**
 * A defect of stock Pulsar, recognised in the log of a start: after a crash the bookie finds its
 * own registration of before, deletes it, and takes the news of that deletion for the loss of the
 * new one, which it then deletes and makes again for ever. BookKeeper is of no use meanwhile,
 * whatever runs on it. See apache/pulsar#25001. Any thread may call it.
 */
final class RegistrationLoop {
  private static final Pattern ROUND =
      Pattern.compile("Lock on resource /ledgers/available/\\S+ was invalidated");

  // A round takes about a millisecond; a start without the defect has at most a few.
  private static final int MIN_ROUNDS = 20;

  private RegistrationLoop() {}

  static boolean isIn(LogFile log) {
    return log.count(line -> ROUND.matcher(line).find()) >= MIN_ROUNDS;
  }
}
