/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it.lifecycle;

import io.pulsarbroadcast.it.lifecycle.Operation.Mistake;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.pulsar.client.api.SubscriptionType;

/**
 * Some of the operations that a seed makes, in their order. Immutable.
 *
 * @param kept the numbers of those that are left
 * @param operations what is done
 */
record Sequence(long seed, List<Integer> kept, List<Operation> operations) {

  /** How many consumers there can be at a time. */
  static final int SLOTS = 4;

  /** The name whose positions have no time to live. */
  static final String BRIEF = "brief";

  private static final int SHORTEST = 10;
  private static final int LONGEST = 24;

  /** All operations of a seed. */
  static Sequence of(long seed) {
    List<Operation> operations = new Generator(seed).operations();
    return new Sequence(seed, IntStream.range(0, operations.size()).boxed().toList(), operations);
  }

  /** Those of a seed with these numbers. */
  static Sequence of(long seed, List<Integer> kept) {
    List<Operation> all = of(seed).operations;
    return new Sequence(seed, kept, kept.stream().map(all::get).toList());
  }

  /** The same without one of the operations. */
  Sequence without(int index) {
    List<Integer> rest = new ArrayList<>(kept);
    rest.remove(index);
    return of(seed, rest);
  }

  @Override
  public String toString() {
    return "-Dlifecycle.seed=%d -Dlifecycle.operations=%s%n%s"
        .formatted(
            seed,
            kept.stream().map(String::valueOf).collect(Collectors.joining(",")),
            IntStream.range(0, kept.size())
                .mapToObj(i -> "  %2d %s".formatted(kept.get(i), operations.get(i)))
                .collect(Collectors.joining(System.lineSeparator())));
  }

  /** Makes the operations. Knows which slots have been used, so that most operations apply. */
  private static final class Generator {

    private final Random random;
    private final boolean transactions;
    private final boolean declaredOnly;

    /** Whether positions go soon, so that the subscription often changes its type. */
    private final boolean converting;

    private final boolean[] used = new boolean[SLOTS];
    private final TreeMap<Integer, Supplier<Operation>> byWeight = new TreeMap<>();
    private int weights;

    Generator(long seed) {
      random = new Random(new SplittableRandom(seed).nextLong());
      declaredOnly = Rules.of(seed).declaredOnly;
      transactions = random.nextInt(5) == 0;
      converting = random.nextInt(4) == 0;
      weigh(13, () -> subscribe(freeSlot()));
      weigh(converting ? 14 : 4, this::subscribePlain);
      weigh(2, () -> new Operation.SubscribeWrongly(topic(), oneOf(Mistake.values())));
      weigh(1, () -> new Operation.SubscribeReader(topic()));
      weigh(13, () -> new Operation.Receive(usedSlot(), 1 + random.nextInt(8)));
      weigh(7, () -> new Operation.Acknowledge(usedSlot(), random.nextInt(10)));
      weigh(7, () -> new Operation.AcknowledgeCumulative(usedSlot(), random.nextInt(10)));
      weigh(3, () -> new Operation.NegativelyAcknowledge(usedSlot(), random.nextInt(10)));
      weigh(3, () -> new Operation.Seek(usedSlot(), place(), byTime()));
      weigh(10, () -> new Operation.Close(free(usedSlot())));
      weigh(2, () -> new Operation.LoseConnection(random.nextInt(2)));
      weigh(2, () -> new Operation.Unsubscribe(free(usedSlot())));
      weigh(10, () -> new Operation.Publish(topic(), 1 + random.nextInt(8)));
      weigh(4, () -> new Operation.PublishBatch(topic(), 2 + random.nextInt(4)));
      weigh(1, () -> new Operation.PublishDelayed(topic(), 1 + random.nextInt(2)));
      weigh(5, () -> new Operation.Unload(topic()));
      weigh(2, () -> new Operation.Delete(topic(), random.nextBoolean()));
      weigh(declaredOnly ? 8 : 1, () -> createSubscription(topic()));
      weigh(1, () -> new Operation.DeleteSubscription(topic()));
      weigh(2, () -> new Operation.Skip(topic(), 1 + random.nextInt(5)));
      weigh(1, () -> new Operation.ClearBacklog(topic()));
      weigh(2, () -> new Operation.ResetCursor(topic(), place(), byTime()));
      weigh(1, () -> new Operation.ExpireMessages(topic(), place(), byTime()));
      weigh(1, () -> new Operation.Truncate(topic()));
      weigh(1, () -> new Operation.Terminate(topic()));
      if (transactions) {
        weigh(14, () -> new Operation.PublishInTransaction(topic(), 1 + random.nextInt(3)));
        weigh(2, () -> new Operation.AcknowledgeInTransaction(usedSlot(), random.nextInt(10)));
        weigh(10, () -> new Operation.EndTransaction(topic(), random.nextBoolean()));
      }
    }

    List<Operation> operations() {
      List<Operation> operations = new ArrayList<>();
      int length = SHORTEST + random.nextInt(LONGEST - SHORTEST + 1);
      operations.add(declaredOnly ? createSubscription(0) : subscribe(0));
      while (operations.size() < length) {
        operations.add(after(operations.get(operations.size() - 1)));
      }
      return operations;
    }

    private Operation after(Operation last) {
      // At once: what the Broadcast subscription leaves on the cursor is gone with the next
      // message.
      boolean converts = converting && last instanceof Operation.Close && random.nextBoolean();
      return converts
          ? subscribePlain()
          : byWeight.higherEntry(random.nextInt(weights)).getValue().get();
    }

    private void weigh(int weight, Supplier<Operation> operation) {
      weights += weight;
      byWeight.put(weights, operation);
    }

    private Operation subscribe(int slot) {
      used[slot] = true;
      return new Operation.Subscribe(
          slot,
          topic(),
          converting ? BRIEF : oneOf("one", "one", "two", BRIEF),
          random.nextInt(4) > 0,
          random.nextInt(8) > 0,
          random.nextInt(3) == 0,
          oneOf(1, 3, 100));
    }

    private Operation subscribePlain() {
      int slot = freeSlot();
      used[slot] = true;
      return new Operation.SubscribePlain(
          slot, topic(), oneOf(SubscriptionType.values()), random.nextBoolean());
    }

    private int topic() {
      return random.nextInt(6) == 0 ? 1 : 0;
    }

    private Operation createSubscription(int topic) {
      return new Operation.CreateSubscription(topic, random.nextBoolean(), random.nextBoolean());
    }

    private boolean byTime() {
      return random.nextInt(3) == 0;
    }

    private int place() {
      return random.nextInt(1001);
    }

    private int free(int slot) {
      used[slot] = false;
      return slot;
    }

    private int freeSlot() {
      return slot(false);
    }

    private int usedSlot() {
      return slot(true);
    }

    private int slot(boolean wanted) {
      int first = random.nextInt(SLOTS);
      for (int i = 0; i < SLOTS; i++) {
        int slot = (first + i) % SLOTS;
        if (used[slot] == wanted) {
          return slot;
        }
      }
      return first;
    }

    @SafeVarargs
    private <T> T oneOf(T... values) {
      return values[random.nextInt(values.length)];
    }
  }
}
