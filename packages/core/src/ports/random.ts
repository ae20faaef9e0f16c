/** The source of secrets, salts and request ids. */
export interface Random {
  /** Returns `length` bytes that nobody can predict. */
  bytes(length: number): Uint8Array;
}

/** The cryptographic random generator of the runtime. */
export const systemRandom: Random = {
  bytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
};
