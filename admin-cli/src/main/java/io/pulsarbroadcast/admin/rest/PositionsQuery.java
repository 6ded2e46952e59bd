/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin.rest;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Which positions to list.
 *
 * @param state connected or absent; null for both
 * @param name a whole name; null for all
 * @param namePrefix how the name begins; null for all
 * @param sort lag or age; null for lag
 */
public record PositionsQuery(
    String state, String name, String namePrefix, String sort, int offset, int limit) {

  /** The most that the broker lists at once. */
  public static final int MAX_LIMIT = 1000;

  /** So long may a name be in a URL; the broker takes 8 KiB of URL and headers. */
  private static final int MAX_ENCODED_LENGTH = 4000;

  /** The positions furthest behind. */
  public static PositionsQuery furthestBehind(int limit) {
    return new PositionsQuery(null, null, null, "lag", 0, limit);
  }

  /** All positions of a name. */
  public static PositionsQuery ofName(String name) {
    return new PositionsQuery(null, name, null, null, 0, MAX_LIMIT);
  }

  boolean fitsIntoUrl() {
    return Objects.equals(cut(name), name) && Objects.equals(cut(namePrefix), namePrefix);
  }

  /** A page of what this query finds and, of long names, of others that begin the same. */
  PositionsQuery widened(int newOffset) {
    String prefix = cut(name == null ? namePrefix : name);
    return new PositionsQuery(state, null, prefix, sort, newOffset, MAX_LIMIT);
  }

  boolean matches(Position position) {
    return (name == null || position.name().equals(name))
        && (namePrefix == null || position.name().startsWith(namePrefix));
  }

  /** The parameters, encoded. */
  Map<String, String> parameters() {
    Map<String, String> parameters = new LinkedHashMap<>();
    put(parameters, "state", state);
    put(parameters, "name", name);
    put(parameters, "namePrefix", namePrefix);
    put(parameters, "sort", sort);
    parameters.put("offset", Integer.toString(offset));
    parameters.put("limit", Integer.toString(limit));
    return parameters;
  }

  private static void put(Map<String, String> parameters, String key, String value) {
    if (value != null) {
      parameters.put(key, encode(value));
    }
  }

  /** As in the path and the query of a URL. */
  static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** The text itself if it fits into a URL, else its beginning, not cut within a character. */
  private static String cut(String text) {
    if (text == null) {
      return null;
    }
    int length = 0;
    for (int i = 0; i < text.length(); i = text.offsetByCodePoints(i, 1)) {
      length += encode(Character.toString(text.codePointAt(i))).length();
      if (length > MAX_ENCODED_LENGTH) {
        return text.substring(0, i);
      }
    }
    return text;
  }
}
