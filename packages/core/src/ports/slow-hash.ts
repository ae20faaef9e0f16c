/** Cost of scrypt (RFC 7914): `2^logN` blocks of `128 × r` bytes, `p` times over. */
export interface ScryptCost {
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

/** 32 MiB and three passes: one of OWASP's equivalent minimum settings for scrypt. */
export const defaultScryptCost: ScryptCost = { logN: 15, r: 8, p: 3 };

/** Thrown when too many hashes are under way; answered as 503 with Retry-After. */
export class SlowHashBusyError extends Error {
  override readonly name = "SlowHashBusyError";
}

/** The memory-hard hash behind claim codes. */
export interface SlowHash {
  /**
   * Derives 32 bytes with scrypt.
   * @throws {SlowHashBusyError} when the bounded queue is full, or the wait in it was too long.
   */
  derive(password: Uint8Array, salt: Uint8Array, cost: ScryptCost): Promise<Uint8Array>;
  /** How many wait for their turn, where there is a queue. */
  waiting?(): number;
}
