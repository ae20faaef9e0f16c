import type { HonestSample } from "./honest-load.js";
import type { StorageUse } from "./storage-use.js";
import type { Tally } from "./tally.js";

/** What one client may cost the others and the server. README.md says the same in words. */
export const bounds = {
  /** Of an honest request's 99th percentile, times the quiet one. */
  slowdown: 2,
  /** docs/scaling.md: of a server, and for each connection that may be sending a body. */
  rssMiB: 512,
  rssPerConnectionMiB: 0.25,
  diskPerByte: 4,
  diskPerRequest: 1_024,
  /** Pages that are begun and not full, on either store. */
  diskSlack: 262_144,
  /** Rows of any table but those of measurements, and what of the heap a collection leaves. */
  entries: 1_500,
  heapMiB: 32,
} as const;

/** Honest requests that got no good answer, counted by what they got. */
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
 * How many times as slow the slowest hundredth is when the server is attacked. Each request counts as
 * a multiple of its kind's quiet median, so that a claim, which is slow by design, hides nothing.
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

export interface Cost {
  readonly tally: Tally;
  /** Of the attacker. */
  readonly connections: number;
  readonly before: StorageUse;
  readonly after: StorageUse;
  /** Bytes on disk that the honest requests of the same time account for. */
  readonly honestBytes: number;
  /** Honest requests of the same time. */
  readonly honestRequests: number;
  readonly heapGrowthMiB: number;
  readonly peakRssMiB: number;
}

const round = (value: number) => Math.round(value).toLocaleString("en");

/** What an attack cost the server beyond the bounds. */
export function excessesOf(cost: Cost): readonly string[] {
  const { tally, before, after, heapGrowthMiB, peakRssMiB } = cost;
  const found: string[] = [];
  const sent = `${round(tally.requests)} requests of ${round(tally.bytes)} bytes in all`;
  const grown = after.bytes - before.bytes - cost.honestBytes;
  const allowed = bounds.diskPerByte * tally.bytes + bounds.diskPerRequest * tally.requests;
  if (grown > allowed + bounds.diskSlack) {
    found.push(`${sent} take up ${round(grown)} bytes on disk, at most ${round(allowed)} allowed`);
  }
  for (const [table, rows] of after.rows) {
    if (/telemetry/.test(table)) continue;
    const more = rows - (before.rows.get(table) ?? 0) - cost.honestRequests;
    if (more > bounds.entries) {
      found.push(`${sent} left ${round(more)} rows in ${table}, at most ${bounds.entries} allowed`);
    }
  }
  if (heapGrowthMiB > bounds.heapMiB) {
    found.push(
      `${sent} left ${round(heapGrowthMiB)} MiB on the heap, at most ${bounds.heapMiB} allowed`,
    );
  }
  const mostRss = bounds.rssMiB + bounds.rssPerConnectionMiB * cost.connections;
  if (peakRssMiB > mostRss) {
    found.push(`${sent} raised the RSS to ${round(peakRssMiB)} MiB, at most ${mostRss} allowed`);
  }
  return found;
}
