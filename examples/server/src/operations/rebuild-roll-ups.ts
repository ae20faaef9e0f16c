import { parseArgs } from "node:util";
import {
  createGateway,
  generateSecrets,
  type RebuildRange,
  silentLogger,
} from "@device-gateway/core";
import { openStore } from "../data/open-data.js";
import { toLimits } from "../settings/limit-variables.js";
import type { Settings } from "../settings/settings.js";
import { describeMissingFile } from "./describe-missing-file.js";
import { done, failed, misused } from "./exit-codes.js";
import { parseTime } from "./parse-time.js";

const usage = `Usage: node examples/server/dist/main.js rebuild-roll-ups [--device <id>] [--from <time>] [--to <time>]
Times are ISO 8601 with a time zone, such as 2026-01-31T00:00:00Z. Without times, all hours are rebuilt.`;

function timeOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = parseTime(text);
  if (time === undefined) throw new Error(`--${name} ${text} is not a time as described below.`);
  return time;
}

function parseRange(args: readonly string[]): RebuildRange {
  const text = { type: "string" } as const;
  const options = { device: text, from: text, to: text };
  const { device, ...times } = parseArgs({ args: [...args], options }).values;
  const [from, to] = [timeOf("from", times.from), timeOf("to", times.to)];
  if (from !== undefined && to !== undefined && from >= to) {
    throw new Error("--from must be earlier than --to.");
  }
  return {
    ...(device !== undefined && { deviceId: device }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
}

/**
 * Rebuilds the telemetry's roll-ups in the database of the settings. A server may be running. Prints the outcome and
 * returns the exit code.
 */
export async function rebuildRollUps(
  settings: Settings,
  args: readonly string[],
  write: (line: string) => void,
): Promise<number> {
  let range: RebuildRange;
  try {
    range = parseRange(args);
  } catch (error) {
    write(`${(error as Error).message}\n${usage}`);
    return misused;
  }
  const missingFile = describeMissingFile(settings);
  if (missingFile !== undefined) {
    write(missingFile);
    return failed;
  }
  const { store } = await openStore(settings, silentLogger);
  try {
    // No device logs in here, so the real secrets are not needed.
    const gateway = await createGateway({
      store: { ...store, keepKeyCheck: async (value) => value },
      secrets: generateSecrets(),
      limits: toLimits(settings),
    });
    const rebuilt = await gateway.rebuildRollUps(range);
    if (rebuilt.isErr()) {
      const place = settings.DATABASE_URL === undefined ? settings.DATA_DIR : "the database";
      write(`There is no device ${range.deviceId} in ${place}.`);
      return failed;
    }
    const { reopenedHours, keptHours, rolledUpHours } = rebuilt.value;
    write(
      `${reopenedHours} hours were marked for rebuilding, and ${rolledUpHours} hours were rolled up.`,
    );
    if (keptHours > 0) {
      write(`${keptHours} hours were not changed, because some of their records have expired.`);
    }
    return done;
  } finally {
    await store.close();
  }
}
