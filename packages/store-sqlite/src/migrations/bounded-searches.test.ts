import { fleetSilenceRule } from "@device-gateway/core/store";
import { sampleEvent, sampleSecurityEvent } from "@device-gateway/testing";
import Sqlite from "better-sqlite3";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "../database/database.js";
import { openSqliteStore } from "../open-sqlite-store.js";
import { createMigratedFile } from "../testing/migrated-file.js";

type Store = Awaited<ReturnType<typeof openSqliteStore>>;

let file: Awaited<ReturnType<typeof createMigratedFile>>;
let store: Store;
let executed: string[] = [];
beforeAll(async () => {
  file = await createMigratedFile();
  const verbose = (sql: unknown) => void executed.push(String(sql));
  store = await openSqliteStore({
    file: file.file,
    driver: async (path) => new Sqlite(path, { timeout: 0, verbose }) as unknown as Database,
  });
});
afterAll(async () => {
  await store.close();
  file.remove();
});

const deviceId = "gw-1";
const ofBoth = { deviceId, actor: "ann", kinds: ["device.renamed"], limit: 50 } as const;
const ofOwner = { deviceId, ownerId: "ann", before: null, limit: 50 };

/** The first judgement of the fleet. It fires an alert. */
const firstOfFleet: Parameters<Store["alerts"]["judge"]>[0] = {
  watch: { deviceId: "", revision: 1, content: {}, receivedAt: 0, dueAt: 0, silentAt: null },
  ...{ expectedRevision: null, owner: null },
  transitions: [
    {
      alert: {
        ...{ id: "a1", ruleId: fleetSilenceRule, ownerId: null, subject: "fleet", deviceId: "" },
        ...{ firedAt: 1, clearedAt: null, acknowledgedAt: null, acknowledgedBy: null },
        ...{ mutedUntil: null, remindedAt: null, details: {} },
      },
      ...{ kind: "firing", event: sampleSecurityEvent("", "alert.firing"), notification: null },
    },
  ],
};

interface Search {
  /** How the statement begins. */
  readonly statement: string;
  readonly index: string;
  readonly sorts: boolean;
  run(store: Store): Promise<unknown>;
}

const searches: Record<string, Search> = {
  "the oldest events of a device and an actor, without those of other actors": {
    statement: "SELECT id FROM security_events",
    index: "security_events_by_device_and_actor (device_id=? AND actor=? AND kind=? AND id>?)",
    sorts: false,
    run: ({ securityEvents }) => securityEvents.list({ ...ofBoth, after: 5 }),
  },
  "the newest events of a device and an actor, without those of other actors": {
    statement: "SELECT id FROM security_events",
    index: "security_events_by_device_and_actor (device_id=? AND actor=? AND kind=? AND id<?)",
    sorts: false,
    run: ({ securityEvents }) => securityEvents.newest({ ...ofBoth, before: 5 }),
  },
  "the firing alerts of a device, without those that cleared": {
    statement: "SELECT * FROM alerts",
    index: "alerts_firing (subject=?)",
    sorts: true,
    run: ({ alerts }) => alerts.list({ ...ofOwner, firing: true }),
  },
  "the alerts of a device and an owner, without those of others and erased ones": {
    statement: "SELECT * FROM alerts",
    index: "alerts_by_device_and_owner (device_id=? AND owner_id=? AND fired_at>?",
    sorts: false,
    run: ({ alerts }) => alerts.list({ ...ofOwner, firing: false }),
  },
  "the latest alert of a rule and subject, without those of other rules": {
    statement: "SELECT id, muted_until FROM alerts",
    index: "alerts_by_rule (rule_id=? AND subject=? AND fired_at>?)",
    sorts: false,
    run: ({ alerts }) => alerts.judge(firstOfFleet),
  },
  "unused devices, without those that registered again": {
    statement: "DELETE FROM devices",
    index: "devices_unused (<expr><?)",
    sorts: false,
    run: ({ devices }) => {
      const event = sampleEvent(deviceId);
      return devices.dropUnused({ deviceId: null, registeredBefore: 5, limit: 9, event });
    },
  },
};

it.each(Object.entries(searches))("finds %s", async (_, { statement, index, sorts, run }) => {
  executed = [];
  await run(store);
  const [sql = "", ...others] = executed.filter((one) => one.startsWith(statement));
  expect(others).toEqual([]);
  const database = new Sqlite(file.file, { readonly: true });
  const plan = database.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all();
  database.close();
  const steps = plan.map(({ detail }) => detail).join("\n");
  expect(steps).toContain(`INDEX ${index}`);
  expect(steps).not.toContain("SCAN");
  expect(steps.includes("TEMP B-TREE")).toBe(sorts);
});
