/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.config;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.InvalidNullException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** Reads YAML files in which every key must be known and have a value. Any thread may call it. */
final class StrictYaml {
  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .visibility(PropertyAccessor.FIELD, Visibility.ANY)
          .visibility(PropertyAccessor.GETTER, Visibility.NONE)
          .build();

  static {
    YAML.setDefaultSetterInfo(JsonSetter.Value.construct(Nulls.FAIL, Nulls.FAIL));
  }

  private StrictYaml() {}

  /** Throws {@link ConfigException} with the key, its value and what is allowed. */
  static <T> T read(File file, Class<T> type) throws IOException {
    if (!file.isFile()) {
      throw new ConfigException("There is no file " + file);
    }
    try {
      T value = YAML.readValue(file, type);
      if (value == null) {
        throw new ConfigException(file + " is empty");
      }
      return value;
    } catch (UnrecognizedPropertyException e) {
      throw wrong(file, path(e) + " is not a key; allowed: " + known(e.getKnownPropertyIds()));
    } catch (InvalidNullException e) {
      throw wrong(file, path(e) + " is empty; allowed: " + allowed(e));
    } catch (InvalidFormatException e) {
      throw wrong(file, path(e) + " is " + e.getValue() + "; allowed: " + allowed(e));
    } catch (MismatchedInputException e) {
      throw wrong(file, path(e) + ": " + firstLine(e) + "; allowed: " + allowed(e));
    } catch (JsonProcessingException e) {
      throw wrong(file, firstLine(e));
    }
  }

  private static ConfigException wrong(File file, String what) {
    return new ConfigException(file + ": " + what);
  }

  private static String firstLine(JsonProcessingException e) {
    return e.getOriginalMessage().lines().findFirst().orElse("not YAML");
  }

  private static String path(JsonMappingException e) {
    String path =
        e.getPath().stream()
            .map(part -> part.getFieldName() == null ? "#" + part.getIndex() : part.getFieldName())
            .collect(Collectors.joining("."));
    return path.isEmpty() ? "the document" : path;
  }

  private static String known(Collection<Object> names) {
    return names == null
        ? "nothing"
        : names.stream().map(String::valueOf).sorted().collect(Collectors.joining(", "));
  }

  private static String allowed(MismatchedInputException e) {
    Class<?> type = e.getTargetType();
    if (type == null) {
      return "another kind of value";
    }
    if (type.isEnum()) {
      return Arrays.stream(type.getEnumConstants())
          .map(String::valueOf)
          .collect(Collectors.joining(", "));
    }
    if (type == boolean.class || type == Boolean.class) {
      return "true, false";
    }
    if (type == int.class || type == long.class || type == Integer.class || type == Long.class) {
      return "a whole number";
    }
    if (type == double.class || type == Double.class) {
      return "a number";
    }
    if (type == List.class) {
      return "a list";
    }
    return type == String.class ? "text" : "keys with values";
  }
}
