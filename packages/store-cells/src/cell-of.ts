const encoder = new TextEncoder();

/**
 * Returns the cell of a device: the FNV-1a hash of its id, mixed by the finalizer of MurmurHash3, modulo the number of
 * cells. FNV-1a alone spreads ids that differ only in their last digit badly over a small number of cells.
 *
 * @example
 * const cell = cellOf("gw-1", 8); // 0 to 7
 */
export function cellOf(deviceId: string, count: number): number {
  let hash = 0x811c9dc5;
  for (const byte of encoder.encode(deviceId)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % count;
}
