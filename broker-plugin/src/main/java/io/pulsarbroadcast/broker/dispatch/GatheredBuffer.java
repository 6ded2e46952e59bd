/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import io.netty.buffer.AbstractReferenceCountedByteBuf;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;

/**
 * A read-only buffer that is many pieces of memory, made for the one use of being written to a
 * socket: all that its subclass has to know is {@link #nioBuffers(int, int)}. Netty's own composite
 * buffer keeps an object per piece, which for two pieces per frame is what costs.
 *
 * <p>Whatever else is asked of it, by TLS for one, is answered from a composite view that is made
 * when first needed. Confined to one thread at a time, as its indices are.
 */
abstract class GatheredBuffer extends AbstractReferenceCountedByteBuf {

  private ByteBuf view;

  GatheredBuffer() {
    super(Integer.MAX_VALUE);
  }

  private ByteBuf view() {
    if (view == null || view.capacity() != capacity()) {
      ByteBuffer[] pieces = nioBuffers(0, capacity());
      view = Unpooled.wrappedBuffer(pieces.length, pieces);
    }
    return view;
  }

  @Override
  public abstract ByteBuffer[] nioBuffers(int index, int length);

  @Override
  public ByteBuffer nioBuffer(int index, int length) {
    return view().nioBuffer(index, length);
  }

  @Override
  public ByteBuffer internalNioBuffer(int index, int length) {
    return nioBuffer(index, length);
  }

  @Override
  public boolean isDirect() {
    return true;
  }

  @Override
  public boolean isContiguous() {
    return false;
  }

  @Override
  public boolean isReadOnly() {
    return true;
  }

  @Override
  public boolean hasArray() {
    return false;
  }

  @Override
  public byte[] array() {
    throw new UnsupportedOperationException("No array, but many pieces of direct memory");
  }

  @Override
  public int arrayOffset() {
    throw new UnsupportedOperationException("No array, but many pieces of direct memory");
  }

  @Override
  public boolean hasMemoryAddress() {
    return false;
  }

  @Override
  public long memoryAddress() {
    throw new UnsupportedOperationException("Not one address, but many pieces of direct memory");
  }

  @Override
  @SuppressWarnings("deprecation")
  public ByteOrder order() {
    return ByteOrder.BIG_ENDIAN;
  }

  @Override
  public ByteBuf unwrap() {
    return null;
  }

  @Override
  public ByteBuf copy(int index, int length) {
    return view().copy(index, length);
  }

  @Override
  public ByteBuf getBytes(int index, ByteBuf target, int targetIndex, int length) {
    view().getBytes(index, target, targetIndex, length);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, byte[] target, int targetIndex, int length) {
    view().getBytes(index, target, targetIndex, length);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, ByteBuffer target) {
    view().getBytes(index, target);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, OutputStream out, int length) throws IOException {
    view().getBytes(index, out, length);
    return this;
  }

  @Override
  public int getBytes(int index, GatheringByteChannel out, int length) throws IOException {
    return view().getBytes(index, out, length);
  }

  @Override
  public int getBytes(int index, FileChannel out, long position, int length) throws IOException {
    return view().getBytes(index, out, position, length);
  }

  @Override
  protected byte _getByte(int index) {
    return view().getByte(index);
  }

  @Override
  protected short _getShort(int index) {
    return view().getShort(index);
  }

  @Override
  protected short _getShortLE(int index) {
    return view().getShortLE(index);
  }

  @Override
  protected int _getUnsignedMedium(int index) {
    return view().getUnsignedMedium(index);
  }

  @Override
  protected int _getUnsignedMediumLE(int index) {
    return view().getUnsignedMediumLE(index);
  }

  @Override
  protected int _getInt(int index) {
    return view().getInt(index);
  }

  @Override
  protected int _getIntLE(int index) {
    return view().getIntLE(index);
  }

  @Override
  protected long _getLong(int index) {
    return view().getLong(index);
  }

  @Override
  protected long _getLongLE(int index) {
    return view().getLongLE(index);
  }

  @Override
  public ByteBuf capacity(int newCapacity) {
    throw new ReadOnlyBufferException();
  }

  @Override
  public ByteBuf setBytes(int index, ByteBuf source, int sourceIndex, int length) {
    throw new ReadOnlyBufferException();
  }

  @Override
  public ByteBuf setBytes(int index, byte[] source, int sourceIndex, int length) {
    throw new ReadOnlyBufferException();
  }

  @Override
  public ByteBuf setBytes(int index, ByteBuffer source) {
    throw new ReadOnlyBufferException();
  }

  @Override
  public int setBytes(int index, InputStream in, int length) {
    throw new ReadOnlyBufferException();
  }

  @Override
  public int setBytes(int index, ScatteringByteChannel in, int length) {
    throw new ReadOnlyBufferException();
  }

  @Override
  public int setBytes(int index, FileChannel in, long position, int length) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected void _setByte(int index, int value) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected void _setShort(int index, int value) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected void _setShortLE(int index, int value) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected void _setMedium(int index, int value) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected void _setMediumLE(int index, int value) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected void _setInt(int index, int value) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected void _setIntLE(int index, int value) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected void _setLong(int index, long value) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected void _setLongLE(int index, long value) {
    throw new ReadOnlyBufferException();
  }
}
