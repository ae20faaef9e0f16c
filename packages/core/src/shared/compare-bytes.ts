/**
 * Compares two texts by their UTF-8 bytes. JavaScript's own comparison is by UTF-16 code units.
 *
 * @example
 * devices.sort((a, b) => compareBytes(a.deviceId, b.deviceId));
 */
export function compareBytes(a: string, b: string): number {
  const [left, right] = [new TextEncoder().encode(a), new TextEncoder().encode(b)];
  const index = left.findIndex((byte, n) => byte !== right[n]);
  if (index === -1) return left.length - right.length;
  return (left[index] ?? 0) - (right[index] ?? -1);
}
