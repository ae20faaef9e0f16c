const decoder = new TextDecoder();

/** Reads what a `ByteWriter` wrote, in the same order. */
export interface ByteReader {
  /** Goes to the beginning of other bytes. */
  open(bytes: Uint8Array): void;
  byte(): number;
  varint(): number;
  float32(): number;
  float64(): number;
  /** All that is left. @throws {RangeError} when more was read than there is. */
  restAsText(): string;
}

export function createByteReader(): ByteReader {
  let bytes = new Uint8Array();
  let offset = 0;
  return {
    open(others) {
      bytes = others as Uint8Array<ArrayBuffer>;
      offset = 0;
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
      const view = new DataView(bytes.buffer, bytes.byteOffset + offset, 4);
      offset += 4;
      return view.getFloat32(0, true);
    },
    float64() {
      const view = new DataView(bytes.buffer, bytes.byteOffset + offset, 8);
      offset += 8;
      return view.getFloat64(0, true);
    },
    restAsText() {
      if (offset > bytes.length) throw new RangeError("A packed record ends too early.");
      return offset === bytes.length ? "" : decoder.decode(bytes.subarray(offset));
    },
  };
}
