const encoder = new TextEncoder();

/** Collects bytes. `take` returns and clears them, `drop` only clears them. */
export interface ByteWriter {
  byte(value: number): void;
  /** Writes a whole number from 0 to below 2^53 with seven bits per byte. */
  varint(value: number): void;
  float32(value: number): void;
  float64(value: number): void;
  utf8(text: string): void;
  take(): Uint8Array;
  drop(): void;
}

export function createByteWriter(capacity: number): ByteWriter {
  let bytes = new Uint8Array(capacity);
  let view = new DataView(bytes.buffer);
  let length = 0;
  const makeRoom = (count: number) => {
    if (length + count <= bytes.length) return;
    const grown = new Uint8Array(2 * (length + count));
    grown.set(bytes.subarray(0, length));
    bytes = grown;
    view = new DataView(bytes.buffer);
  };
  return {
    byte(value) {
      makeRoom(1);
      bytes[length++] = value;
    },
    varint(value) {
      makeRoom(8);
      let rest = value;
      // Bitwise operators work on 32 bits only.
      while (rest >= 2 ** 31) {
        bytes[length++] = (rest % 128) | 128;
        rest = Math.floor(rest / 128);
      }
      while (rest >= 128) {
        bytes[length++] = (rest & 127) | 128;
        rest >>>= 7;
      }
      bytes[length++] = rest;
    },
    float32(value) {
      makeRoom(4);
      view.setFloat32(length, value, true);
      length += 4;
    },
    float64(value) {
      makeRoom(8);
      view.setFloat64(length, value, true);
      length += 8;
    },
    utf8(text) {
      // A UTF-16 code unit takes at most three bytes in UTF-8.
      makeRoom(3 * text.length);
      length += encoder.encodeInto(text, bytes.subarray(length)).written;
    },
    take() {
      const taken = bytes.slice(0, length);
      length = 0;
      return taken;
    },
    drop() {
      length = 0;
    },
  };
}
