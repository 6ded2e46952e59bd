/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.broker.cursor.UnknownVersionException;
import io.pulsarbroadcast.broker.ledger.PositionsLedger.DamagedLogException;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.mledger.LedgerOffloader;
import org.apache.bookkeeper.mledger.ManagedLedgerConfig;
import org.apache.bookkeeper.mledger.ManagedLedgerException;
import org.apache.bookkeeper.mledger.ManagedLedgerException.LedgerNotExistException;
import org.apache.bookkeeper.mledger.ManagedLedgerException.ManagedLedgerNotFoundException;
import org.apache.bookkeeper.mledger.ManagedLedgerException.MetaStoreException;
import org.apache.bookkeeper.mledger.impl.NullLedgerOffloader;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.metadata.api.MetadataStoreException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * I1: only what will fail for ever counts as damage, for positions are given up then; and a log
 * does not depend on where the topic's messages are.
 */
class PositionsLedgerTest {

  static Stream<Throwable> passing() {
    return Stream.of(
        new MetadataStoreException("connection lost"),
        new PulsarClientException.TimeoutException("topic policies cannot be read"),
        new MetaStoreException("connection lost"),
        new ManagedLedgerException("Bookie handle is not available"),
        new UnknownVersionException("version 9"));
  }

  static Stream<Throwable> lasting() {
    return Stream.of(
        new DamagedLogException("checksum", null),
        new ManagedLedgerNotFoundException("no such log"),
        new LedgerNotExistException("no such ledger"),
        new ManagedLedgerException(BKException.getMessage(BKException.Code.NoSuchEntryException)));
  }

  @ParameterizedTest
  @MethodSource("passing")
  void shouldTryAgainWhatMayPass(Throwable failure) {
    assertThat(PositionsLedger.isDamage(new CompletionException(failure))).isFalse();
  }

  @ParameterizedTest
  @MethodSource("lasting")
  void shouldTakeWhatLastsForDamage(Throwable failure) {
    assertThat(PositionsLedger.isDamage(new CompletionException(failure))).isTrue();
  }

  @Test
  void shouldNotOffloadPositionsWhereTheTopicsMessagesAreOffloaded() {
    LedgerOffloader bucket =
        (LedgerOffloader)
            Proxy.newProxyInstance(
                LedgerOffloader.class.getClassLoader(),
                new Class<?>[] {LedgerOffloader.class},
                (proxy, method, arguments) -> null);
    ManagedLedgerConfig asked = new ManagedLedgerConfig().setLedgerOffloader(bucket);

    ManagedLedgerConfig positions = PositionsLedger.forPositions(asked, true);

    assertThat(positions.getLedgerOffloader()).isSameAs(NullLedgerOffloader.INSTANCE);
  }
}
