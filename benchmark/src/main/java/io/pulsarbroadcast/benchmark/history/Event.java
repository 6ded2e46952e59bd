/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.history;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.Objects;

/**
 * Something that the recording process did or saw, of one topic and one Broadcast subscription with
 * durable consumers. Immutable; any thread may use it.
 *
 * <p>What takes time has two events: one written before it is asked for, one after the answer has
 * come. So an event that is before another in the file did not happen after it; the times only
 * measure how long something took.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "event")
@JsonSubTypes({
  @JsonSubTypes.Type(value = Event.Start.class, name = "start"),
  @JsonSubTypes.Type(value = Event.Publish.class, name = "publish"),
  @JsonSubTypes.Type(value = Event.Subscribe.class, name = "subscribe"),
  @JsonSubTypes.Type(value = Event.Delivery.class, name = "delivery"),
  @JsonSubTypes.Type(value = Event.Ack.class, name = "ack"),
  @JsonSubTypes.Type(value = Event.Redeliver.class, name = "redeliver"),
  @JsonSubTypes.Type(value = Event.Seek.class, name = "seek"),
  @JsonSubTypes.Type(value = Event.Unsubscribe.class, name = "unsubscribe"),
  @JsonSubTypes.Type(value = Event.Closed.class, name = "closed"),
  @JsonSubTypes.Type(value = Event.Expired.class, name = "expired"),
  @JsonSubTypes.Type(value = Event.Skip.class, name = "skip"),
  @JsonSubTypes.Type(value = Event.Fault.class, name = "fault"),
  @JsonSubTypes.Type(value = Event.MarkDelete.class, name = "markDelete"),
  @JsonSubTypes.Type(value = Event.SkipCount.class, name = "skipCount")
})
public sealed interface Event {
  /** Its number in the history, from 1 and without gaps; also that of its line in the file. */
  long line();

  /** Microseconds since the history began, of a clock that never goes back. */
  long micros();

  /** What became of a request. */
  enum Phase {
    /** It is about to be sent. */
    @JsonProperty("invoked")
    INVOKED,
    /** The broker says that it is done. */
    @JsonProperty("ok")
    OK,
    /** The broker says that it is not done. */
    @JsonProperty("failed")
    FAILED,
    /** Nobody will ever say whether it is done. */
    @JsonProperty("unknown")
    UNKNOWN
  }

  /** What a consumer chose by its wire type. */
  enum Contract {
    /** Everything unacknowledged comes again in order. */
    @JsonProperty("ordered")
    ORDERED,
    /**
     * Single messages come again, with a redelivery count; cumulative acknowledgements are void.
     */
    @JsonProperty("unordered")
    UNORDERED
  }

  /** How far a fault is. */
  enum Step {
    /** It is about to be made. */
    @JsonProperty("begun")
    BEGUN,
    /** It was seen to have happened. */
    @JsonProperty("confirmed")
    CONFIRMED,
    /** It is over. */
    @JsonProperty("healed")
    HEALED
  }

  /**
   * The first event: what the rest is judged by.
   *
   * @param flushMillis broadcastPositionFlushIntervalMillis of the brokers
   * @param marginMillis what one flush may take, and the way of an acknowledgement to the broker
   * @param patienceMillis when a consumer starves that is not sent what it is due
   * @param batchIndexAcks acknowledgmentAtBatchIndexLevelEnabled of the brokers
   */
  record Start(
      long line,
      long micros,
      int flushMillis,
      int marginMillis,
      int patienceMillis,
      boolean batchIndexAcks)
      implements Event {}

  /**
   * A message. Every publish to the topic has these events.
   *
   * @param payload what tells its content from that of any other message: a number or a hash
   * @param id null unless {@link Phase#OK}
   */
  record Publish(long line, long micros, Phase phase, String producer, long payload, Id id)
      implements Event {
    public Publish {
      Objects.requireNonNull(phase, "phase");
      Objects.requireNonNull(producer, "producer");
      if ((id != null) != (phase == Phase.OK)) {
        throw new IllegalArgumentException("id is " + id + "; allowed: one if the phase is ok");
      }
    }
  }

  /**
   * A consumer subscribes. Each attempt is an incarnation of its name, with a higher number than
   * those before, and ends them.
   */
  record Subscribe(
      long line, long micros, Phase phase, String name, int incarnation, Contract contract)
      implements Event {
    public Subscribe {
      Objects.requireNonNull(phase, "phase");
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(contract, "contract");
    }
  }

  /** A consumer is sent a message; written in the order in which it is sent them. */
  record Delivery(
      long line,
      long micros,
      String name,
      int incarnation,
      String broker,
      Id id,
      int redeliveryCount,
      long payload)
      implements Event {
    public Delivery {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(id, "id");
    }
  }

  /**
   * An acknowledgement; {@link Phase#OK} is its receipt.
   *
   * @param receiptAsked whether it counts as processed only with a receipt
   */
  record Ack(
      long line,
      long micros,
      Phase phase,
      String name,
      int incarnation,
      Id id,
      boolean cumulative,
      boolean receiptAsked)
      implements Event {
    public Ack {
      Objects.requireNonNull(phase, "phase");
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(id, "id");
    }
  }

  /** A consumer is about to ask for its unacknowledged messages. */
  record Redeliver(long line, long micros, String name, int incarnation) implements Event {
    public Redeliver {
      Objects.requireNonNull(name, "name");
    }
  }

  /**
   * A consumer moves, and subscribes again.
   *
   * @param to the first message that it is due then; null if that is not known
   */
  record Seek(long line, long micros, Phase phase, String name, int incarnation, Id to)
      implements Event {
    public Seek {
      Objects.requireNonNull(phase, "phase");
      Objects.requireNonNull(name, "name");
    }
  }

  /** A consumer gives its position up. */
  record Unsubscribe(long line, long micros, Phase phase, String name, int incarnation)
      implements Event {
    public Unsubscribe {
      Objects.requireNonNull(phase, "phase");
      Objects.requireNonNull(name, "name");
    }
  }

  /** A consumer was closed by its own program, which does not want messages now. */
  record Closed(long line, long micros, String name, int incarnation) implements Event {
    public Closed {
      Objects.requireNonNull(name, "name");
    }
  }

  /** From now on the position of an absent consumer may have been dropped. */
  record Expired(long line, long micros, String name) implements Event {
    public Expired {
      Objects.requireNonNull(name, "name");
    }
  }

  /**
   * From now on, all consumers may be made to skip messages: by an operator, expiry or eviction.
   *
   * @param upTo the last one that may be skipped
   */
  record Skip(long line, long micros, Id upTo) implements Event {
    public Skip {
      Objects.requireNonNull(upTo, "upTo");
    }
  }

  /**
   * A fault.
   *
   * @param number which one, from 1
   * @param kind in the words of who makes it
   * @param crash whether acknowledgements of the last interval may be lost; false for a planned
   *     move, before which positions are stored
   */
  record Fault(long line, long micros, Step step, int number, String kind, boolean crash)
      implements Event {
    public Fault {
      Objects.requireNonNull(step, "step");
      Objects.requireNonNull(kind, "kind");
    }
  }

  /**
   * The subscription's mark-delete position.
   *
   * @param askedMicros when it was asked for
   */
  record MarkDelete(long line, long micros, long askedMicros, Id id) implements Event {
    public MarkDelete {
      Objects.requireNonNull(id, "id");
    }
  }

  /**
   * A broker's counter of skipped entries, summed over consumers. One that goes down began anew.
   *
   * @param counter which one, for example the broker and the cause
   */
  record SkipCount(long line, long micros, String counter, long entries) implements Event {
    public SkipCount {
      Objects.requireNonNull(counter, "counter");
    }
  }
}
