/** Grows as it is written; `take` gives a copy and starts anew. */
export interface Writer {
  byte(value: number): void;
  /** A whole number from 0 below 2^53, seven bits a byte. */
  varint(value: number): void;
  float64(value: number): void;
  bytes(value: Uint8Array): void;
  take(): Buffer;
}

export function createWriter(capacity = 1_024): Writer {
  let buffer = Buffer.allocUnsafe(capacity);
  let length = 0;
  const make = (room: number) => {
    if (length + room <= buffer.length) return;
    const grown = Buffer.allocUnsafe(2 * (length + room));
    buffer.copy(grown, 0, 0, length);
    buffer = grown;
  };
  return {
    byte(value) {
      make(1);
      buffer[length++] = value;
    },
    varint(value) {
      make(8);
      let rest = value;
      while (rest >= 2 ** 31) {
        buffer[length++] = (rest % 128) | 128;
        rest = Math.floor(rest / 128);
      }
      while (rest >= 128) {
        buffer[length++] = (rest & 127) | 128;
        rest >>>= 7;
      }
      buffer[length++] = rest;
    },
    float64(value) {
      make(8);
      length = buffer.writeDoubleLE(value, length);
    },
    bytes(value) {
      make(value.length);
      buffer.set(value, length);
      length += value.length;
    },
    take() {
      const taken = Buffer.from(buffer.subarray(0, length));
      length = 0;
      return taken;
    },
  };
}

export interface Reader {
  byte(): number;
  varint(): number;
  float64(): number;
  skip(count: number): void;
  offset(): number;
}

export function createReader(buffer: Buffer): Reader {
  let offset = 0;
  return {
    byte: () => buffer[offset++] as number,
    varint() {
      let byte = buffer[offset++] as number;
      if (byte < 128) return byte;
      let value = byte & 127;
      let scale = 128;
      do {
        byte = buffer[offset++] as number;
        value += (byte & 127) * scale;
        scale *= 128;
      } while (byte >= 128);
      return value;
    },
    float64() {
      offset += 8;
      return buffer.readDoubleLE(offset - 8);
    },
    skip(count) {
      offset += count;
    },
    offset: () => offset,
  };
}
