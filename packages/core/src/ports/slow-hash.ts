/** Cost of scrypt (RFC 7914): `2^logN` blocks of `128 × r` bytes, `p` times. */
export interface ScryptCost {
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

/** 32 MiB and three passes: one of OWASP's minimum settings for scrypt. */
export const defaultScryptCost: ScryptCost = { logN: 15, r: 8, p: 3 };

/** Thrown if too many hashes are running or waiting. The API returns 503 with `Retry-After`. */
export class SlowHashBusyError extends Error {
  override readonly name = "SlowHashBusyError";
}

/**
 * The memory-hard hash behind claim codes. It needs no queue of its own: the gateway calls it at most
 * `limits.hashesInFlight` times at once and shares the turns fairly among clients.
 */
export interface SlowHash {
  /**
   * Derives 32 bytes with scrypt.
   * @throws {SlowHashBusyError} if it cannot compute the hash now.
   */
  derive(password: Uint8Array, salt: Uint8Array, cost: ScryptCost): Promise<Uint8Array>;
}
