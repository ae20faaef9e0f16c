/**
 * A value as JSON in UTF-8, in pieces. Used for values that are too large to serialise in one turn of the event loop.
 * The bytes of a large response are not part of the heap, so they do not make garbage collections slow.
 */
export class JsonBytes<Value> implements AsyncIterable<Uint8Array> {
  declare readonly value?: Value;
  readonly pieces: readonly Uint8Array[];
  /** Number of bytes. */
  readonly length: number;

  constructor(pieces: readonly Uint8Array[]) {
    this.pieces = pieces;
    this.length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    yield* this.pieces;
  }

  /** Returns the JSON as text. */
  toText(): string {
    const decoder = new TextDecoder();
    return this.pieces.map((piece) => decoder.decode(piece, { stream: true })).join("");
  }
}
