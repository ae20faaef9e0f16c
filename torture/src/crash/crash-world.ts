import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { DiskWatch } from "../disk/watch-disk.js";
import { type Killable, spawnKillable } from "../killable.js";
import { findFreePort } from "../load/find-free-port.js";
import { createStorage, type StorageKind } from "../storage.js";
import type { Place } from "./check-store.js";
import type { Point } from "./points.js";

export interface CrashTools {
  readonly program: string;
  /** Undefined: doings on the disk can't be watched here. */
  readonly watch: DiskWatch | undefined;
}

/** Where a server is killed by itself. */
export interface Fate {
  readonly point: Point;
  readonly nth: number;
}

/** A storage, and a server on it that dies and is started again. */
export interface CrashWorld {
  readonly place: Place;
  readonly baseUrl: string;
  /** How far ahead the clocks are, in milliseconds. */
  offsetMs: number;
  now(): number;
  start(scene: string, fate?: Fate): Killable & { readonly ready: Promise<void> };
  /** Milliseconds from the start until the first 200. */
  firstAnswer(startedAt: number): Promise<number>;
  /** Images of which a server said that they are kept. */
  readonly images: string[];
  remove(): Promise<void>;
}

export async function openCrashWorld(
  kind: StorageKind,
  { program, watch }: CrashTools,
): Promise<CrashWorld> {
  const folder = mkdtempSync(join(tmpdir(), "torture-crash-"));
  const storage = kind === "postgres" ? await createStorage(kind) : undefined;
  const place = { folder, url: storage?.place ?? "" };
  const port = await findFreePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const images: string[] = [];
  const lives = new Set<Killable>();
  const world: CrashWorld = {
    place,
    baseUrl,
    offsetMs: 0,
    now: () => Date.now() + world.offsetMs,
    images,
    start(scene, fate) {
      const { point, nth } = fate ?? {};
      const struck = point === undefined || point.disk ? [] : [point.name, String(nth)];
      const [name = "", when = "0"] = struck;
      const server = spawnKillable(program, {
        arguments: [folder, String(port), place.url, String(world.offsetMs), name, when, scene],
        environment:
          point?.disk === undefined
            ? {}
            : (watch?.killAt(folder, { ...point.disk, nth: nth ?? 1 }) ?? {}),
      });
      lives.add(server);
      void server.ended.then(() => {
        lives.delete(server);
        for (const line of server.said) images.push(line.replace("image ", ""));
      });
      return server;
    },
    async firstAnswer(startedAt) {
      for (;;) {
        const answer = await fetch(`${baseUrl}/readyz`).catch(() => undefined);
        await answer?.arrayBuffer().catch(() => {});
        if (answer?.status === 200) return performance.now() - startedAt;
        await wait(5);
      }
    },
    async remove() {
      await Promise.all([...lives].map((server) => server.kill()));
      await storage?.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return world;
}
