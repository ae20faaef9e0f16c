import { setTimeout as wait } from "node:timers/promises";
import type { GatewayStore } from "@device-gateway/core";
import { createUserClient } from "@device-gateway/device-client";
import { sampleEvent } from "@device-gateway/testing";
import { signCustomer } from "../../../examples/server/src/testing/customer.js";
import { mostInSuccession } from "../../../packages/alerts/src/judgement/firing-budget.js";
import { createDice } from "../dice.js";
import { describeUnfinished } from "../load/bounded-wait.js";
import { startRecorders } from "../load/recorders.js";
import type { ReportLine } from "../report.js";
import { computeTransitions, findMissing, findWrongIds, type Sent, threshold } from "./expected.js";
import { judgeStored } from "./judge-stored.js";
import { type Receiver, startReceiver } from "./receiver.js";

const metric = "level";
const condition = { kind: "above", metric, threshold, clearAt: threshold, holdSeconds: 0 } as const;
const name = "Level";
const hourMs = 3_600_000;
/** Each device sends at least this many batches. */
const leastBatches = 12;
const pauseMs = 60;
/** Number of checks, 100 ms apart. If something is still missing after this many, the cause is a bug. */
const mostLooks = 1_800;

/**
 * What a gateway forwards while it is attacked: the alerts of a rule, and telemetry to a sink. Some devices send
 * records in order of time, so that a simple computation shows which alerts are expected.
 */
export interface Arrivals {
  readonly url: string;
  /** Settings with which a bundled server forwards alerts and telemetry to the receiver. */
  readonly settings: Readonly<Record<string, string>>;
  /** Creates the rule and a webhook through the API of a bundled server. */
  arrange(baseUrl: string): Promise<void>;
  /** Creates the rule in a store. */
  arrangeIn(store: GatewayStore): Promise<void>;
  /** Starts the devices. The rule must exist. */
  begin(baseUrl: string): void;
  /** Stops the devices, and waits until all that they have sent was judged and passed on. Servers must run. */
  stop(): Promise<void>;
  /** Returns what did not arrive, or was stored with other content. */
  findProblems(store: GatewayStore): Promise<readonly string[]>;
  readonly acknowledged: ReadonlyMap<string, readonly string[]>;
  /** Describes what `findProblems` has found. */
  describe(): ReportLine;
  close(): void;
}

export interface ArrivalsOptions {
  readonly seed: number;
  /** Whether the receiver of webhooks fails sometimes, which costs seconds each time. */
  readonly long: boolean;
}

export async function openArrivals({ seed, long }: ArrivalsOptions): Promise<Arrivals> {
  const dice = createDice(seed);
  const failures = { "/write": 0.1, "/notices": 0.1, "/hook": long ? 0.02 : 0 };
  // While a webhook waits for its next attempt, no more than a hundred events of its device may follow.
  const changes = long ? 0.01 : 0.2;
  const receiver: Receiver = await startReceiver({ metric, dice, failures });
  const devices = Array.from({ length: long ? 8 : 2 }, (_, n) => `level-${n}`);
  /** Alerts of each device. A device stays above the threshold when it may fire no further alert. */
  const fired = new Map<string, number>();
  const sent = new Map<string, Sent[]>(devices.map((deviceId) => [deviceId, []]));
  const begunAt = Date.now() - hourMs;
  let recorders: ReturnType<typeof startRecorders> | undefined;
  let missing: string[] = [];
  let problems: readonly string[] = [];

  /** Creates a record after the last one, or in its millisecond. The first one fires the alert. */
  function createRecord(deviceId: string, reading: string) {
    const before = sent.get(deviceId) ?? [];
    const last = before.at(-1);
    const isTwice = dice.chance(0.1) && before.at(-2)?.at !== last?.at;
    const at = last === undefined ? begunAt : last.at + (isTwice ? 0 : 1 + dice.int(20));
    const wasHigh = (last?.value ?? 0) > threshold;
    const changesNow = dice.chance(changes);
    const alerts = fired.get(deviceId) ?? 0;
    const isHigh =
      last === undefined || (wasHigh && alerts >= mostInSuccession) || changesNow !== wasHigh;
    if (isHigh && !wasHigh) fired.set(deviceId, alerts + 1);
    const value = (isHigh ? threshold + 0.1 : 0) + dice.int(500) / 10;
    before.push({ at, value });
    return { reading, [metric]: value, timestamp: new Date(at).toISOString() };
  }

  /** The evaluation begins with the latest record of a device that it has never seen, so the others must follow. */
  async function untilFirstFires(deviceId: string): Promise<void> {
    for (let looks = 0; looks < mostLooks; looks++) {
      if (receiver.notices.some((notice) => notice.deviceId === deviceId)) return;
      await wait(100);
    }
  }

  return {
    url: receiver.url,
    settings: {
      ...{ WEBHOOKS: "1", WEBHOOKS_INTRANET: "1" },
      ...{ TELEMETRY_SINK_URL: `${receiver.url}/write`, TELEMETRY_SINK_METRICS: metric },
    },
    async arrange(baseUrl) {
      const token = await signCustomer("operator", { roles: ["operator"] });
      const operator = createUserClient({ baseUrl, token });
      const query = { scope: "operator" } as const;
      const filter = { kinds: ["alert.firing", "alert.cleared"] as const };
      const hook = { url: `${receiver.url}/hook`, filter: { kinds: [...filter.kinds] } };
      (await operator.createWebhook({ query, body: hook }))._unsafeUnwrap();
      (await operator.createAlertRule({ query, body: { name, condition } }))._unsafeUnwrap();
    },
    async arrangeIn(store) {
      const event = { ...sampleEvent(""), kind: "alert_rule.created" } as const;
      const rule = {
        ...{ id: "level", revision: 1, ownerId: null, deviceId: null, targetHardware: null },
        ...{ name, condition, reminderSeconds: null, mutedUntil: null, createdAt: 0, changedAt: 0 },
      };
      await store.alerts.createRule({ rule, most: 9, event });
    },
    begin(baseUrl) {
      recorders = startRecorders({
        ...{ baseUrl, seed, devices, now: Date.now, createRecord, leastBatches, pauseMs },
        whenFirstIsStored: untilFirstFires,
      });
    },
    async stop() {
      const given = describeUnfinished([(await recorders?.stop()) ?? 0]);
      if (given !== undefined) {
        missing = [given];
        return;
      }
      for (let looks = 0; looks < mostLooks; looks++) {
        missing = findMissing(sent, receiver);
        if (missing.length === 0) return;
        await wait(100);
      }
    },
    async findProblems(store) {
      const stored = await judgeStored(store, sent);
      problems = [...missing, ...findWrongIds(receiver.notices), ...stored];
      return problems;
    },
    get acknowledged() {
      return recorders?.acknowledged ?? new Map<string, string[]>();
    },
    describe() {
      const transitions = [...sent.values()].flatMap(computeTransitions).length;
      const { values, notices } = receiver;
      return {
        what: `${transitions} transitions of alerts, ${values.size} values in the sink`,
        rounds: notices.length,
        result: `${problems.length} problems`,
        bar: "each record judged once, each notice and value there",
      };
    },
    close: receiver.close,
  };
}
