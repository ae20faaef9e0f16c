import type { GatewayStore, MetricBucket } from "@device-gateway/core/store";
import { expect } from "vitest";
import { createSeededRandom } from "../../fixtures/seeded-random.js";
import { all, hour } from "../samples/history-samples.js";
import {
  readRecordValues,
  registerSampleDevice,
  sampleRecord,
  sampleTime,
} from "../samples/samples.js";
import { type StoreCase, type StoreHandles, toCase } from "../samples/store-case.js";

const day = 24 * hour;
/** Later than a store may keep a shape that nothing references. */
const longAfter = sampleTime + 1_000 * day;

/** Stores a record with one metric. The name determines the shape; the value is `seq`. */
async function send(store: GatewayStore, deviceId: string, sent: Sent): Promise<void> {
  const { name, seq, at, receivedAt = at } = sent;
  const records = [sampleRecord({ at, seq, isTimed: false, value: { [name]: seq } })];
  const outcome = await store.telemetry.append({ deviceId, receivedAt, records, once: null });
  expect(outcome).toEqual({ kind: "appended", verdicts: ["stored"] });
}

interface Sent {
  readonly name: string;
  readonly seq: number;
  readonly at: number;
  /** Default: `at`. */
  readonly receivedAt?: number;
}

async function prune(store: GatewayStore, receivedBefore: number): Promise<void> {
  await store.telemetry.prune({ receivedBefore, limit: 10_000 });
}

/** Prunes roll-ups, then lets the store delete the shapes that only they used. */
async function pruneRollUps(store: GatewayStore, before: number): Promise<void> {
  await store.telemetry.pruneRollUps({ before, limit: 10_000 });
  await prune(store, 0);
}

const rollUp = (store: GatewayStore) => store.telemetry.rollUp({ before: longAfter, limit: 100 });

const aggregate = (store: GatewayStore, deviceId: string): Promise<readonly MetricBucket[]> =>
  store.telemetry.aggregate({
    ...{ deviceId, from: 0, to: longAfter, receivedFrom: 0 },
    ...{ intervalMs: hour, selection: all },
  });

/** One round of the race: records to send, and the times before which the other handle prunes. */
interface Round {
  readonly sent: readonly (Sent & { readonly deviceId: string })[];
  readonly receivedBefore: number;
  readonly hoursBefore: number;
}

const devices = ["gw-1", "gw-2", "gw-3"];

/** Times jump back and forth, because a shape in use must be kept whatever the clocks say. */
function toRounds(count: number): Round[] {
  const bytes = createSeededRandom(27).bytes(count * 16);
  return Array.from({ length: count }, (_, round) => {
    const byte = (n: number) => bytes[round * 16 + n] as number;
    const timeOf = (n: number) => sampleTime + ((byte(n) % 3) * 150 + (byte(n + 1) % 2)) * day;
    return {
      sent: devices.map((deviceId, n) => ({
        deviceId,
        name: `a${n}${byte(n) % 2}`,
        seq: round * devices.length + n,
        at: sampleTime + (byte(n) % 5) * hour,
        receivedAt: timeOf(3 + 2 * n),
      })),
      receivedBefore: timeOf(9) + hour,
      hoursBefore: timeOf(11) + hour,
    };
  });
}

/** Checks that both handles read every remaining record as it was sent. */
async function checkValues(handles: StoreHandles, sent: ReadonlyMap<number, string>) {
  for (const [n, deviceId] of devices.entries()) {
    for (const store of handles) {
      const values = await readRecordValues(store, deviceId);
      for (const value of values) {
        const [[name, seq] = []] = Object.entries(value);
        expect(name).toBe(sent.get(seq as number));
        expect((seq as number) % devices.length).toBe(n);
      }
      await aggregate(store, deviceId);
    }
  }
}

/** Cases for a store that deletes shapes that no record references. */
export const reclaimCases: readonly StoreCase[] = [
  toCase(
    "reclaim: a record is readable although another process deleted its shape before",
    async ([a, b]) => {
      await registerSampleDevice(a, "gw-1");
      await send(a, "gw-1", { name: "a", seq: 1, at: sampleTime });
      await prune(b, longAfter);
      expect(await readRecordValues(a, "gw-1")).toEqual([]);
      await send(a, "gw-1", { name: "a", seq: 2, at: sampleTime });
      for (const store of [a, b]) expect(await readRecordValues(store, "gw-1")).toEqual([{ a: 2 }]);
    },
  ),

  toCase("reclaim: an hour whose roll-up was pruned is rolled up again", async ([a, b]) => {
    for (const deviceId of ["gw-1", "gw-2"]) await registerSampleDevice(a, deviceId);
    await send(a, "gw-1", { name: "a", seq: 1, at: sampleTime });
    await rollUp(a);
    await send(a, "gw-2", { name: "b", seq: 1, at: sampleTime + 400 * day });
    await rollUp(a);
    await pruneRollUps(b, sampleTime + 200 * day);
    await send(a, "gw-1", { name: "a", seq: 2, at: sampleTime });
    await rollUp(a);
    for (const store of [a, b]) {
      expect(await aggregate(store, "gw-1")).toMatchObject([{ name: "a", count: 2, sum: 3 }]);
    }
  }),

  toCase(
    "reclaim: every record is readable while another process deletes shapes",
    async ([a, b]) => {
      for (const deviceId of devices) await registerSampleDevice(a, deviceId);
      const sent = new Map<number, string>();
      for (const [n, { sent: some, receivedBefore, hoursBefore }] of toRounds(24).entries()) {
        const [sender, pruner] = n % 3 === 0 ? [b, a] : [a, b];
        for (const { seq, name } of some) sent.set(seq, name);
        await Promise.all([
          ...some.map(({ deviceId, ...record }) => send(sender, deviceId, record)),
          prune(pruner, receivedBefore),
          rollUp(sender),
          pruneRollUps(pruner, hoursBefore),
        ]);
        await checkValues([a, b], sent);
      }
    },
  ),
];
