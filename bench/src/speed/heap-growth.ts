import { meansOf, type Slope, slopeOf } from "./slope.js";

export interface Memory {
  /** Since the load began. */
  readonly minute: number;
  readonly heapUsed: number;
  readonly rss: number;
  readonly external: number;
  /** Of the heap: what V8 compiled. */
  readonly code: number;
}

const fewestStretches = 3;

const told = ({ slope, low, high }: Slope) =>
  `${slope.toFixed(1)} KiB a minute, 95 % interval ${low.toFixed(1)} to ${high.toFixed(1)}`;

/**
 * By how much the heap grows, and whether that may be nothing, by the means of stretches of so many
 * minutes.
 */
export function heapGrowthNotes(points: readonly Memory[], stretch: number): readonly string[] {
  const means = (bytes: (memory: Memory) => number) =>
    meansOf(
      points.map((memory) => ({ x: memory.minute, y: bytes(memory) / 1024 })),
      stretch,
    );
  const heap = means(({ heapUsed }) => heapUsed);
  if (heap.length < fewestStretches) {
    const fewestMinutes = Math.ceil((fewestStretches + 1) * stretch);
    return [`Too short to tell whether the heap grows: pass --minutes ${fewestMinutes} or more.`];
  }
  const growth = slopeOf(heap);
  const code = slopeOf(means((memory) => memory.code));
  const rest = slopeOf(means(({ heapUsed, code }) => heapUsed - code));
  return [
    `The heap after collection grows by ${told(growth)} (means of ${heap.length} times ${stretch.toFixed(1)} minutes); goal no more than 0 within it: ${growth.low <= 0 ? "reached" : "missed"}.`,
    `Of it compiled code by ${told(code)}, all else by ${told(rest)}.`,
  ];
}
