import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askOn } from "../../../packages/store-postgres/src/testing/temporary-database.js";
import { findFreePort } from "../../../scripts/find-free-port.js";
import type { Killable } from "../killable.js";
import type { BundledServer } from "../load/bundled-server.js";
import { type Observed, type PostLoad, preparePostLoad } from "../load/post-load.js";
import type { Cluster } from "./cluster.js";

/** Servers of the gateway under load. */
export interface MeasuredServers {
  readonly urls: readonly string[];
  readonly devices: readonly string[];
  /** The load of each server. */
  readonly loads: readonly PostLoad[];
  /** Counts since the last `reset`. */
  readonly seen: {
    taken: number;
    unavailable: number;
    /** All other results, by description. */
    wrong: Map<string, number>;
    /** The most connections of the servers to the primary. */
    mostBackends: number;
  };
  reset(): void;
  /** Waits until each server has answered 200 once more. Returns the milliseconds until the last of them, or null if it is later. */
  untilAllTake(limitMs: number): Promise<number | null>;
  close(): Promise<void>;
}

interface ServerOptions {
  readonly count: number;
  readonly seed: number;
  readonly environment: Readonly<Record<string, string>>;
}

/** The default of `DATABASE_POOL_SIZE`. */
export const poolSize = 10;

export async function startMeasuredServers(
  cluster: Cluster,
  bundle: BundledServer,
  { count, seed, environment }: ServerOptions,
): Promise<MeasuredServers> {
  const folder = mkdtempSync(join(tmpdir(), "torture-failover-"));
  const running: Killable[] = [];
  const urls: string[] = [];
  const seen: MeasuredServers["seen"] = {
    ...{ taken: 0, unavailable: 0, mostBackends: 0 },
    wrong: new Map(),
  };
  const waiting = new Map<number, () => void>();

  function observe(place: number, { status, retryAfter, fault }: Observed): void {
    if (status === 200) {
      seen.taken += 1;
      waiting.get(place)?.();
      waiting.delete(place);
    } else if (status === 503 && retryAfter !== undefined) seen.unavailable += 1;
    else if (status === null || status < 200 || status >= 500) {
      const what = status === null ? String(fault) : `${status}`;
      seen.wrong.set(what, (seen.wrong.get(what) ?? 0) + 1);
    }
  }
  async function countBackends(): Promise<void> {
    const sql = "SELECT FROM pg_stat_activity WHERE application_name = 'device-gateway'";
    const rows = await askOn(`${await cluster.primaryUrl()}?connect_timeout=1`, sql);
    seen.mostBackends = Math.max(seen.mostBackends, rows.length);
  }

  for (let n = 0; n < count; n++) {
    const port = await findFreePort();
    const settings = { DATA_DIR: folder, DATABASE_URL: cluster.url, ...environment };
    running.push(await bundle.start(port, settings));
    urls.push(`http://127.0.0.1:${port}`);
  }
  const devicesOf = (place: number) => [0, 1, 2].map((n) => `device-${place}-${n}`);
  const loads = await Promise.all(
    urls.map((url, place) =>
      preparePostLoad({
        ...{ url, seed: seed + place, devices: devicesOf(place), connections: 4, pauseMs: 30 },
        observe: (observed) => observe(place, observed),
      }),
    ),
  );
  const counting = setInterval(() => void countBackends().catch(() => {}), 500);
  return {
    urls,
    devices: urls.flatMap((_, place) => devicesOf(place)),
    loads,
    seen,
    reset() {
      Object.assign(seen, { taken: 0, unavailable: 0, mostBackends: 0 });
      seen.wrong.clear();
    },
    async untilAllTake(limitMs) {
      const startedAt = performance.now();
      const all = urls.map(
        (_, place) => new Promise<void>((resolve) => waiting.set(place, resolve)),
      );
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<null>((resolve) => {
        timer = setTimeout(() => resolve(null), limitMs);
      });
      const ended = await Promise.race([Promise.all(all), late]);
      clearTimeout(timer);
      return ended === null ? null : performance.now() - startedAt;
    },
    async close() {
      clearInterval(counting);
      await Promise.all(running.map((server) => server.kill()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
