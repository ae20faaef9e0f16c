import { join } from "node:path";
import { createAlerts, startAlerts } from "@device-gateway/alerts";
import type { AlertRule, GatewayStore } from "@device-gateway/core/store";
import { openSqliteStore } from "@device-gateway/store-sqlite";
import { sampleEvent } from "@device-gateway/testing";
import { calibrate } from "./calibrate.js";
import { recordOf } from "./fleet.js";
import { createLines, type Section } from "./measure.js";
import { createScratch } from "./speed/machine/scratch.js";
import { registerTemplate } from "./speed/seed/seed-fleet.js";
import { renderSection } from "./table.js";

export interface AlertsBenchOptions {
  readonly devices: number;
  /** Records of each repeat. */
  readonly records: number;
  readonly repeats: number;
  readonly markdown?: boolean;
  readonly print?: (text: string) => void;
  readonly progress?: (text: string) => void;
}

const minuteMs = 60_000;
const senders = "senders";
const silent = "silent";
const atOnce = 64;

const toRule = (ownerId: string): AlertRule => ({
  ...{ id: `of-${ownerId}`, revision: 1, ownerId, deviceId: null, targetHardware: null },
  ...{ name: "Low", reminderSeconds: null, mutedUntil: null, createdAt: 0, changedAt: 0 },
  condition: { kind: "below", metric: "voltage", threshold: 0, clearAt: 0, holdSeconds: 0 },
});

async function seed(store: GatewayStore, devices: number): Promise<void> {
  for (const ownerId of [senders, silent]) {
    const ownership = { ownerId, claimedAt: 1, visibleFrom: 0 };
    for (let n = 0; n < devices; n++) {
      await registerTemplate(store, `${ownerId}-${n}`, { ownership, ownedBefore: true });
    }
  }
}

/** Stores records of the senders, as many at once as a busy server does. Returns the CPU time of a record in µs. */
async function ingest(
  store: GatewayStore,
  { devices, records }: AlertsBenchOptions,
  repeat: number,
): Promise<number> {
  const begun = process.cpuUsage();
  const append = async (n: number) => {
    const value = recordOf(n % devices, (repeat * records + n) * minuteMs);
    const record = { at: Date.now(), seq: null, isTimed: false, value };
    const deviceId = `${senders}-${n % devices}`;
    await store.telemetry.append({
      ...{ deviceId, receivedAt: Date.now(), once: null, records: [record] },
    });
  };
  for (let n = 0; n < records; n += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, records - n) }, (_, m) => append(n + m));
    await Promise.all(some);
    // Lets the evaluation have its turns.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / records;
}

/** Returns how long it takes until nobody is due, in milliseconds. */
async function measureLag(store: GatewayStore, devices: number): Promise<number> {
  const begun = performance.now();
  for (;;) {
    let waiting = 0;
    for (let after: string | null = ""; after !== null; ) {
      const page = await store.alerts.due({ after, now: 0, limit: 500, everyone: false });
      waiting += page.devices.length;
      after = page.next;
    }
    if (waiting === 0 || performance.now() - begun > devices * 100) {
      return performance.now() - begun;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/**
 * Measures what alerts cost: the CPU of a stored record without rules, with rules on devices that do not send, and with a
 * rule for each sender, and how far the evaluation is behind at the end. Over SQLite in one process, without HTTP.
 */
export async function runAlertsBench(options: AlertsBenchOptions): Promise<Section> {
  const { devices, repeats, markdown = false, print, progress = () => {} } = options;
  const scratch = createScratch("disk");
  const lines = createLines();
  const store = await openSqliteStore({ file: join(scratch.folder, "alerts.db") });
  try {
    progress(`Registering ${2 * devices} devices`);
    await seed(store, devices);
    const remove = async (ownerId: string) => {
      const event = sampleEvent("");
      await store.alerts.removeRule({ id: `of-${ownerId}`, limit: 500, event });
    };
    for (let repeat = 0; repeat < repeats; repeat++) {
      for (const [subject, ownerId] of [
        ["no rules", null],
        ["rules on other devices", silent],
        ["a rule per sender", senders],
      ] as const) {
        progress(`Repeat ${repeat + 1}: ${subject}`);
        if (ownerId !== null) {
          await store.alerts.createRule({ rule: toRule(ownerId), most: 9, event: sampleEvent("") });
        }
        const alerts = createAlerts({ store, gateway: { telemetryInterval: () => 60 } });
        // Judges every device for the first time before the measurement.
        await alerts.runOnce();
        const running = startAlerts(alerts);
        lines.add("calibration", "ms", subject, calibrate(), true);
        lines.add("CPU per record", "µs", subject, await ingest(store, options, repeat));
        if (ownerId !== null) {
          lines.add("lag at the end", "ms", subject, await measureLag(store, devices), true);
        }
        await running.stop();
        if (ownerId !== null) await remove(ownerId);
      }
    }
  } finally {
    await store.close();
    scratch.remove();
  }
  const section = {
    title: `Alerts, ${devices} senders and as many other devices`,
    lines: lines.all(),
    notes: [],
  };
  print?.(renderSection(section, markdown));
  return section;
}
