const decoder = new TextDecoder();

/** Reads what a `ByteWriter` wrote, in the same order. */
export interface ByteReader {
  /** Goes to the beginning of other bytes. */
  open(bytes: Uint8Array): void;
  byte(): number;
  varint(): number;
  skip(length: number): void;
  float32(): number;
  float64(): number;
  /** @throws {RangeError} when more was read than there is. */
  checkEnd(): void;
  /** All that is left. @throws {RangeError} when more was read than there is. */
  restAsText(): string;
}

export function createByteReader(): ByteReader {
  let bytes = new Uint8Array();
  let offset = 0;
  /** Over all of `bytes`, once a number of theirs was looked at through it. */
  let view: DataView | undefined;
  const checkEnd = () => {
    if (offset > bytes.length) throw new RangeError("A packed record ends too early.");
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
