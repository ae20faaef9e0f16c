/** Where secrets, salts and request ids come from. */
export interface Random {
  /** `length` bytes that nobody can predict. */
  bytes(length: number): Uint8Array;
}

/** The runtime's own cryptographic generator. */
export const systemRandom: Random = {
  bytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
};
