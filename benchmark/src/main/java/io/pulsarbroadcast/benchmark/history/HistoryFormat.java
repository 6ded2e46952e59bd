/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.history;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.file.Path;

/** Events as lines of JSON. Any thread may use it. */
final class HistoryFormat {
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .serializationInclusion(JsonInclude.Include.NON_NULL)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
          .disable(SerializationFeature.FLUSH_AFTER_WRITE_VALUE)
          .build();

  static final ObjectWriter WRITER = JSON.writerFor(Event.class);
  static final ObjectReader READER = JSON.readerFor(Event.class);

  private HistoryFormat() {}

  /** Whether a file of this name is compressed. */
  static boolean isCompressed(Path file) {
    return file.toString().endsWith(".gz");
  }
}
