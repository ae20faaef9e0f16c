import {
  runStoreCase,
  sampleDevice,
  sampleEvent,
  sampleRecord,
  sampleTime,
  storeCases,
} from "@device-gateway/testing";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { openPostgresStore } from "../open-postgres-store.js";
import { type DatabaseLane, openDatabaseLane } from "../testing/database-lane.js";
import { hasPgbouncer, startPgbouncer } from "../testing/pgbouncer.js";

const subjects = ["register", "claim", "reserve", "append", "updates", "since"];

/** Races show whether anything rests on a connection staying the same; other cases would not. */
const races = subjects.flatMap(
  (subject) => storeCases.find(({ name, races }) => races && name.startsWith(`${subject}: `)) ?? [],
);

if (hasPgbouncer) {
  describe("behind pgbouncer in transaction mode", () => {
    let lane: DatabaseLane;
    let bouncer: Awaited<ReturnType<typeof startPgbouncer>>;
    beforeAll(async () => {
      lane = await openDatabaseLane(inject("postgresUrl"));
      bouncer = await startPgbouncer(lane.url);
    });
    afterAll(async () => {
      await bouncer.stop();
      await lane.remove();
    });

    it("is asked for settings once, and opened without them at once", async () => {
      const connect = vi.spyOn(Client.prototype, "connect");
      const store = await openPostgresStore({ url: bouncer.url, poolSize: 1 });
      // With settings, without, and the one that looks at the schema.
      expect(connect).toHaveBeenCalledTimes(3);
      await store.close();
    });

    it("stores records though one's connection keeps what another has named", async () => {
      const info = vi.fn();
      const logger = { debug: () => {}, info, warn: () => {}, error: () => {} };
      const open = () => openPostgresStore({ url: bouncer.url, poolSize: 1, logger });
      const [a, b] = [await open(), await open()];
      await a.devices.register({ device: sampleDevice("gw-1"), event: sampleEvent("gw-1") });
      const verdicts: unknown[] = [];
      for (const [seq, store] of [a, b, a, b].entries()) {
        const records = [sampleRecord({ seq })];
        const input = { deviceId: "gw-1", receivedAt: sampleTime, records, once: null };
        verdicts.push(await store.telemetry.append(input));
      }
      expect(verdicts).toEqual(Array(4).fill({ kind: "appended", verdicts: ["stored"] }));
      const told = info.mock.calls.filter(([, text]) => /can't be kept/.test(String(text)));
      expect(told).toHaveLength(1);
      await a.close();
      await b.close();
    });

    for (const storeCase of races) {
      it(storeCase.name, () =>
        runStoreCase(storeCase, {
          open: async () => {
            await lane.empty();
            const open = () => openPostgresStore({ url: bouncer.url, poolSize: 6 });
            const handles = [await open(), await open()] as const;
            return {
              handles,
              dispose: async () => {
                for (const store of handles) await store.close();
              },
            };
          },
        }),
      );
    }
  });
} else {
  it.skip("behind pgbouncer in transaction mode (skipped: there is no pgbouncer here; Debian's package is pgbouncer)", () => {});
}
