import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { openSqliteStore } from "@device-gateway/store-sqlite";
import { sampleTime } from "@device-gateway/testing";
import { expect, onTestFinished, test } from "vitest";
import { bundleProgram } from "../../../scripts/bundle-programs.js";
import { minuteMs, openAlertWorld } from "./testing/alert-world.js";

const low = {
  condition: { kind: "below", metric: "soc", threshold: 20, clearAt: 25, holdSeconds: 0 },
} as const;

/** Each round sends one record, which fires or clears the alert. */
const rounds = [
  { step: "before judge", soc: 10 },
  { step: "after judge", soc: 30 },
  { step: "before settleNotification", soc: 10 },
  { step: "after settleNotification", soc: 30 },
];

test("§8 a killed evaluator judges each record once, and delivers each notification at least once", async () => {
  const folder = await mkdtemp(join(tmpdir(), "device-gateway-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "gateway.db");
  const program = await bundleProgram("packages/alerts/src/testing/evaluate-script.ts");
  const delivered: string[] = [];
  let now = sampleTime;

  async function evaluate(...step: readonly string[]): Promise<NodeJS.Signals | null> {
    const child = spawn(process.execPath, [program, file, String(now), ...step], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "exit");
    delivered.push(...(await text(child.stdout)).split("\n").filter((line) => line !== ""));
    const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null];
    expect(code ?? 0).toBe(0);
    return signal;
  }

  async function prepare(soc: number | null): Promise<void> {
    const store = await openSqliteStore({ file });
    const world = openAlertWorld({}, store);
    if (soc === null) {
      await world.register("gw-1");
      await world.addRule("low", low);
    } else {
      const records = [{ at: now, seq: null, isTimed: false, value: { soc } }];
      await store.telemetry.append({ deviceId: "gw-1", receivedAt: now, once: null, records });
    }
    await store.close();
  }

  await prepare(null);
  await evaluate();
  for (const { step, soc } of rounds) {
    now += 10 * minuteMs;
    await prepare(soc);
    expect(await evaluate(step)).toBe("SIGKILL");
    // Another process takes the notifications of a killed one after ten minutes.
    now += 11 * minuteMs;
    expect(await evaluate()).toBeNull();
  }

  const store = await openSqliteStore({ file });
  const events = await store.securityEvents.list({ after: 0, limit: 100 });
  const alerts = await store.alerts.list({
    ...{ ownerId: "alice", deviceId: null, firing: false, before: null, limit: 9 },
  });
  await store.close();
  const kinds = events.map(({ kind }) => kind).filter((kind) => kind.startsWith("alert."));
  expect(kinds).toEqual(["alert.firing", "alert.cleared", "alert.firing", "alert.cleared"]);
  const ids = alerts.flatMap(({ id }) => [`${id}-firing`, `${id}-cleared`]);
  expect(ids).toHaveLength(4);
  expect([...new Set(delivered)].sort()).toEqual(ids.sort());
});
