/** Bytes that are deleted in one step. A record or a roll-up may have hundreds of kilobytes. */
const stepBytes = 1_048_576;

/** Counts the rows that one step deletes, given the bytes that each frees, and whether the next step has more. */
export function countStepRows(lengths: Iterable<number>): { count: number; isCut: boolean } {
  let [count, bytes] = [0, 0];
  for (const length of lengths) {
    if (bytes >= stepBytes) return { count, isCut: true };
    count += 1;
    bytes += length;
  }
  return { count, isCut: false };
}
