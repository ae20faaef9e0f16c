const decoder = new TextDecoder();

/** Reads what a `ByteWriter` wrote, in the same order. */
export interface ByteReader {
  /** Starts to read other bytes. */
  open(bytes: Uint8Array): void;
  byte(): number;
  varint(): number;
  skip(length: number): void;
  float32(): number;
  float64(): number;
  /** @throws {RangeError} if more bytes were read than exist. */
  checkEnd(): void;
  /** Returns all remaining bytes as text. @throws {RangeError} if more bytes were read than exist. */
  restAsText(): string;
}

export function createByteReader(): ByteReader {
  let bytes = new Uint8Array();
  let offset = 0;
  /** A view of all `bytes`, created when it is first needed. */
  let view: DataView | undefined;
  const checkEnd = () => {
    if (offset > bytes.length)
      throw new RangeError("The packed record is incomplete: it ends too early.");
  };
  const viewed = () => {
    view ??= new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return view;
  };
  return {
    open(others) {
      bytes = others as Uint8Array<ArrayBuffer>;
      offset = 0;
      view = undefined;
    },
    skip(length) {
      offset += length;
    },
    byte: () => bytes[offset++] as number,
    varint() {
      let byte = bytes[offset++] as number;
      if (byte < 128) return byte;
      let value = byte & 127;
      let scale = 128;
      do {
        byte = bytes[offset++] as number;
        value += (byte & 127) * scale;
        scale *= 128;
      } while (byte >= 128);
      return value;
    },
    float32() {
      offset += 4;
      return viewed().getFloat32(offset - 4, true);
    },
    float64() {
      offset += 8;
      return viewed().getFloat64(offset - 8, true);
    },
    checkEnd,
    restAsText() {
      checkEnd();
      return offset === bytes.length ? "" : decoder.decode(bytes.subarray(offset));
    },
  };
}
