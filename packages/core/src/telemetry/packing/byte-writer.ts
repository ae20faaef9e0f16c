const encoder = new TextEncoder();

/** Collects bytes; `take` gives them and begins anew, `drop` forgets them. */
export interface ByteWriter {
  byte(value: number): void;
  /** A whole number from 0 below 2^53, seven bits a byte. */
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
      // Bitwise operators know 32 bits.
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
      // A UTF-16 code unit takes three bytes of UTF-8 at most.
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
