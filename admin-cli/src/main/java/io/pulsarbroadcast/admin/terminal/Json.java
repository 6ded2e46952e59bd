/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin.terminal;

import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;

/** JSON in ASCII, which every locale and terminal leaves as it is. */
public final class Json {
  /** The only control character in ASCII that Jackson does not escape. */
  private static final String DELETE = "\u007f";

  private static final ObjectWriter WRITER =
      JsonMapper.builder(new JsonFactoryBuilder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build())
          .build()
          .writer(
              new DefaultPrettyPrinter()
                  .withObjectIndenter(new DefaultIndenter("  ", "\n"))
                  .withArrayIndenter(new DefaultIndenter("  ", "\n")));

  private Json() {}

  public static String of(Object value) {
    try {
      return WRITER.writeValueAsString(value).replace(DELETE, "\\u007f");
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("Not JSON: " + value, e);
    }
  }
}
