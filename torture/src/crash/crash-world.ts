import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "../../../scripts/find-free-port.js";
import { type Arrivals, openArrivals } from "../arrivals/arrivals.js";
import type { DiskWatch } from "../disk/watch-disk.js";
import { type Killable, spawnKillable } from "../killable.js";
import { untilReady } from "../load/until-ready.js";
import { createEmptyDatabase, type StorageKind } from "../storage.js";
import { openPlace, type Place } from "./check-store.js";
import type { Point } from "./points.js";

export interface CrashTools {
  readonly program: string;
  /** Undefined if this machine cannot intercept disk operations. */
  readonly watch: DiskWatch | undefined;
}

/** The point at which a server kills itself, and at which visit. */
export interface KillAt {
  readonly point: Point;
  readonly nth: number;
}

/** Storage, and a server over it that is killed and started again. */
export interface CrashWorld {
  readonly place: Place;
  readonly baseUrl: string;
  /** How far the clocks are ahead, in milliseconds. */
  offsetMs: number;
  now(): number;
  start(scene: string, killAt?: KillAt): Killable & { readonly ready: Promise<void> };
  /** Waits for the first 200. Returns the milliseconds since `startedAt`. Throws if the server exits before. */
  firstAnswer(startedAt: number, server: Killable): Promise<number>;
  /** Images that a server reported as stored. */
  readonly images: string[];
  /** What the servers pass on. Undefined if they pass on nothing. */
  readonly arrivals: Arrivals | undefined;
  remove(): Promise<void>;
}

/** Opens a world. With a `seed`, its servers evaluate an alert rule and copy telemetry to a receiver. */
export async function openCrashWorld(
  kind: StorageKind,
  { program, watch }: CrashTools,
  seed?: number,
): Promise<CrashWorld> {
  const folder = mkdtempSync(join(tmpdir(), "torture-crash-"));
  const storage = kind === "postgres" ? await createEmptyDatabase() : undefined;
  const place = { folder, url: storage?.place ?? "" };
  const port = await findFreePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const images: string[] = [];
  const running = new Set<Killable>();
  const openedAt = String(Date.now());
  const arrivals = seed === undefined ? undefined : await openArrivals({ seed, long: false });
  if (arrivals !== undefined) {
    const { store } = await openPlace(place);
    await arrivals.arrangeIn(store);
    await store.close();
  }
  const world: CrashWorld = {
    place,
    baseUrl,
    offsetMs: 0,
    now: () => Date.now() + world.offsetMs,
    images,
    arrivals,
    start(scene, killAt) {
      const { point, nth } = killAt ?? {};
      const killPoint = point === undefined || point.disk ? [] : [point.name, String(nth)];
      const [name = "", when = "0"] = killPoint;
      const server = spawnKillable(program, {
        arguments: [
          ...[folder, String(port), place.url, String(world.offsetMs), name, when, scene],
          ...(arrivals === undefined ? [] : [arrivals.url, openedAt]),
        ],
        environment:
          point?.disk === undefined
            ? {}
            : (watch?.killAt(folder, { ...point.disk, nth: nth ?? 1 }) ?? {}),
      });
      running.add(server);
      void server.ended.then(() => {
        running.delete(server);
        for (const line of server.said) images.push(line.replace("image ", ""));
      });
      return server;
    },
    async firstAnswer(startedAt, server) {
      await untilReady(port, server, 5);
      return performance.now() - startedAt;
    },
    async remove() {
      await Promise.all([...running].map((server) => server.kill()));
      arrivals?.close();
      await storage?.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return world;
}
