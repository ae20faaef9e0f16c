import { meansOf, type Slope, slopeOf } from "./slope.js";

export interface Memory {
  /** Minutes since the load began. */
  readonly minute: number;
  readonly heapUsed: number;
  readonly rss: number;
  readonly external: number;
  /** The part of the heap that is compiled code. */
  readonly code: number;
}

const minStretches = 3;

const format = ({ slope, low, high }: Slope) =>
  `${slope.toFixed(1)} KiB a minute, 95 % interval ${low.toFixed(1)} to ${high.toFixed(1)}`;

/**
 * Reports by how much the heap grows, and whether 0 is in the interval. It uses the means of stretches of
 * `stretch` minutes.
 */
export function heapGrowthNotes(points: readonly Memory[], stretch: number): readonly string[] {
  const means = (bytes: (memory: Memory) => number) =>
    meansOf(
      points.map((memory) => ({ x: memory.minute, y: bytes(memory) / 1024 })),
      stretch,
    );
  const heap = means(({ heapUsed }) => heapUsed);
  if (heap.length < minStretches) {
    const minMinutes = Math.ceil((minStretches + 1) * stretch);
    return [
      `The run is too short to tell whether the heap grows. Pass --minutes ${minMinutes} or more.`,
    ];
  }
  const growth = slopeOf(heap);
  const code = slopeOf(means((memory) => memory.code));
  const rest = slopeOf(means(({ heapUsed, code }) => heapUsed - code));
  return [
    `The heap after collection grows by ${format(growth)} (means of ${heap.length} times ${stretch.toFixed(1)} minutes); goal 0 or less within the interval: ${growth.low <= 0 ? "reached" : "missed"}.`,
    `Compiled code grows by ${format(code)}, all else by ${format(rest)}.`,
  ];
}
