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
import { openPostgresStore } from "./open-postgres-store.js";
import { hasPgbouncer, startPgbouncer } from "./testing/pgbouncer.js";
import { openSharedDatabase, type SharedDatabase } from "./testing/shared-database.js";

const subjects = ["register", "claim", "reserve", "append", "updates", "since"];

/** Only races show whether the store relies on keeping the same connection. */
const races = subjects.flatMap(
  (subject) => storeCases.find(({ name, races }) => races && name.startsWith(`${subject}: `)) ?? [],
);

if (hasPgbouncer) {
  describe("behind pgbouncer in transaction mode", () => {
    let database: SharedDatabase;
    let bouncer: Awaited<ReturnType<typeof startPgbouncer>>;
    beforeAll(async () => {
      database = await openSharedDatabase(inject("postgresUrl"));
      bouncer = await startPgbouncer(database.url);
    });
    afterAll(async () => {
      await bouncer.stop();
      await database.remove();
    });

    it("is asked for settings once, then connected to without them", async () => {
      const connect = vi.spyOn(Client.prototype, "connect");
      const store = await openPostgresStore({ url: bouncer.url, poolSize: 1 });
      // One with settings, one without, and one that reads the schema version.
      expect(connect).toHaveBeenCalledTimes(3);
      await store.close();
    });

    it("stores records although connections share prepared statements", async () => {
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
      const messages = info.mock.calls.filter(([, text]) =>
        /Prepared statements/.test(String(text)),
      );
      expect(messages).toHaveLength(1);
      await a.close();
      await b.close();
    });

    for (const storeCase of races) {
      it(storeCase.name, () =>
        runStoreCase(storeCase, {
          open: async () => {
            await database.empty();
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
