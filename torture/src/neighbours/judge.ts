import type { Tally } from "./attacker/tally.js";
import type { HonestSample } from "./honest-load.js";
import type { StorageUse } from "./storage-use.js";

/** What one client may cost the others and the server. README.md explains these bounds. */
export const bounds = {
  /** Honest p99 under attack as a multiple of the quiet p99. */
  slowdown: 2,
  /** Peak RSS of the server, and the addition for each connection of the attacker (docs/scaling.md). */
  rssMiB: 512,
  rssPerConnectionMiB: 0.25,
  diskPerByte: 4,
  diskPerRequest: 1_024,
  /** Bytes for partly filled pages, on either store. */
  diskSlack: 262_144,
  /** New rows in any counted table, and heap growth after a garbage collection. */
  entries: 1_500,
  heapMiB: 32,
} as const;

export type Bounds = { readonly [Name in keyof typeof bounds]: number };

/**
 * Returns the bounds for an attack that lasts only a share of the full time. What an attacker may leave behind is
 * reduced in proportion.
 */
export const boundsOfShare = (share: number): Bounds => ({
  ...bounds,
  diskSlack: bounds.diskSlack * share,
  entries: bounds.entries * share,
  heapMiB: bounds.heapMiB * share,
});

/** Counts honest requests without a 2xx, by result. */
export function refusalsOf(samples: readonly HonestSample[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { kind, status, fault } of samples) {
    if (status !== null && status >= 200 && status < 300) continue;
    const code = /"code":"(\w+)"/.exec(fault)?.[1] ?? fault.slice(0, 80);
    const what = `${kind} got ${status ?? "no answer"} ${code}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return [...counts].map(([what, count]) => `${count} × honest ${what}`);
}

const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
};

/**
 * Returns the p99 under attack as a multiple of the quiet p99. Each request counts as a multiple of its
 * kind's quiet median, so that claims, which are slow by design, do not hide a slowdown of the others.
 */
export function slowdownOf(
  quiet: readonly HonestSample[],
  attacked: readonly HonestSample[],
): number {
  const medians = new Map<string, number>();
  for (const kind of new Set(quiet.map((sample) => sample.kind))) {
    const ofKind = quiet.filter((sample) => sample.kind === kind).map(({ ms }) => ms);
    medians.set(kind, quantile(ofKind, 0.5));
  }
  const p99 = (samples: readonly HonestSample[]) =>
    quantile(
      samples.flatMap(({ kind, ms }) => {
        const median = medians.get(kind);
        return median === undefined ? [] : [ms / median];
      }),
      0.99,
    );
  return p99(attacked) / p99(quiet);
}

/** A window is calm if its p99 is at most this many times that of the second calmest window. */
const calmShare = 10;

/** Returns the windows that other work on the machine did not slow down. A slow window would hide an attack. */
export function calmOf<Window extends { readonly samples: readonly HonestSample[] }>(
  windows: readonly Window[],
): readonly Window[] {
  const all = windows.flatMap(({ samples }) => samples);
  const slowdowns = windows.map(({ samples }) => slowdownOf(all, samples));
  const [calmest = 1, second = calmest] = slowdowns.toSorted((a, b) => a - b);
  return windows.filter((_, n) => (slowdowns[n] ?? 0) <= calmShare * second);
}

export interface Cost {
  readonly tally: Tally;
  /** Connections of the attacker. */
  readonly connections: number;
  readonly before: StorageUse;
  readonly after: StorageUse;
  /** Bytes on disk that the honest requests account for. */
  readonly honestBytes: number;
  /** Honest requests during the attack. */
  readonly honestRequests: number;
  readonly heapGrowthMiB: number;
  readonly peakRssMiB: number;
}

const round = (value: number) => Math.round(value).toLocaleString("en");

/** Describes where an attack exceeded the limits. */
export function excessesOf(cost: Cost, limits: Bounds = bounds): readonly string[] {
  const { tally, before, after, heapGrowthMiB, peakRssMiB } = cost;
  const found: string[] = [];
  const sent = `${round(tally.requests)} requests of ${round(tally.bytes)} bytes in all`;
  const grown = after.bytes - before.bytes - cost.honestBytes;
  const allowed = limits.diskPerByte * tally.bytes + limits.diskPerRequest * tally.requests;
  if (grown > allowed + limits.diskSlack) {
    found.push(`${sent} take up ${round(grown)} bytes on disk, at most ${round(allowed)} allowed`);
  }
  for (const [table, rows] of after.rows) {
    const more = rows - (before.rows.get(table) ?? 0) - cost.honestRequests;
    if (more > limits.entries) {
      found.push(`${sent} left ${round(more)} rows in ${table}, at most ${limits.entries} allowed`);
    }
  }
  if (heapGrowthMiB > limits.heapMiB) {
    found.push(
      `${sent} left ${round(heapGrowthMiB)} MiB on the heap, at most ${limits.heapMiB} allowed`,
    );
  }
  const mostRss = limits.rssMiB + limits.rssPerConnectionMiB * cost.connections;
  if (peakRssMiB > mostRss) {
    found.push(`${sent} raised the RSS to ${round(peakRssMiB)} MiB, at most ${mostRss} allowed`);
  }
  return found;
}
