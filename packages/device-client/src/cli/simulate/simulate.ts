import { setTimeout as wait } from "node:timers/promises";
import { CliError, defineCommand, exitCodes } from "../command.js";
import { readServerUrl } from "../server-url.js";
import { renderTable } from "../table.js";
import { createFleetStats, findProblems } from "./fleet-stats.js";
import { profiles } from "./profile.js";
import { readPinnedKey } from "./read-pinned-key.js";
import { registerFleet } from "./register-fleet.js";
import { createSeededRandom } from "./seeded-random.js";
import { describeProgress, summarize } from "./summary.js";
import { createUpdatePermits } from "./virtual-firmware.js";
import { createVirtualGateway, type VirtualGateway } from "./virtual-gateway.js";

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

function toMs(option: string, text: string): number {
  const [, amount, unit = ""] = /^(\d{1,6})(ms|s|m|h)$/.exec(text) ?? [];
  const ms = Number(amount) * (units[unit] ?? 0);
  if (ms > 0) return ms;
  throw new CliError(
    `--${option}: "${text}" is not a duration. Use one such as 500ms, 10s or 5m.`,
    exitCodes.usage,
  );
}

function toCount(option: string, text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new CliError(`--${option}: "${text}" is not a number from 1 to 999999.`, exitCodes.usage);
}

/** Maximum number of images in memory. Other gateways update at a later reading. */
const maxConcurrentUpdates = 50;

/** Runs one gateway. It starts after a delay, so that the fleet does not send at the same moment. */
async function runGateway(
  gateway: VirtualGateway,
  { intervalMs, delayMs, until }: { intervalMs: number; delayMs: number; until: () => number },
): Promise<void> {
  await wait(Math.min(delayMs, Math.max(0, until())));
  for (;;) {
    const startedAt = performance.now();
    await gateway.tick();
    const restMs = intervalMs - (performance.now() - startedAt);
    if (until() <= restMs) return;
    await wait(Math.max(0, restMs));
  }
}

/** `device-gateway simulate`: runs a fleet over real HTTP, of which every reading must arrive. */
export const simulate = defineCommand({
  name: "simulate",
  summary: "Runs a fleet of virtual gateways against a server and checks that no reading is lost.",
  operands: [],
  options: {
    url: {
      type: "string",
      value: "URL",
      help: "Address of the gateway, such as http://127.0.0.1:3000.",
      required: true,
      variable: "DEVICE_GATEWAY_URL",
    },
    "base-path": {
      type: "string",
      value: "PATH",
      help: "Base path of the API.",
      default: "/api/v1",
    },
    devices: { type: "string", value: "N", help: "Number of gateways.", default: "10" },
    interval: { type: "string", value: "TIME", help: "Time between two readings.", default: "10s" },
    duration: {
      type: "string",
      value: "TIME",
      help: "Duration of the run after all gateways have registered.",
      default: "1m",
    },
    profile: {
      type: "string",
      value: "NAME",
      help: `Frequency of faults: ${Object.keys(profiles).join(", ")}.`,
      default: "steady",
    },
    prefix: {
      type: "string",
      value: "NAME",
      help: "Prefix of the device ids.",
      default: "sim",
    },
    target: {
      type: "string",
      value: "NAME",
      help: "Target hardware of the gateways. Releases are matched on it.",
      default: "sim-virtual",
    },
    key: {
      type: "string",
      value: "FILE",
      help: "Public key of releases, such as NAME.public.pem. Without it, the gateways install no firmware.",
    },
    seed: {
      type: "string",
      value: "N",
      help: "The same seed gives the same random faults.",
      default: "1",
    },
  },
  notes: [
    "The gateways download, verify and install firmware with the reference updater. Depending on the profile,",
    "some new firmware is bad and the gateways roll back. To see a rollout halt itself, publish a release for",
    "their --target.",
    "",
    "The exit code is 1 if a reading was lost, stored twice or rejected, or if a gateway stayed on bad",
    "firmware, refused an offer, or got an error that does not pass with a retry.",
    "",
    "A server lets 120 gateways of one address register per minute. The others wait. With",
    "DG_LIMIT_AUTH_PER_MINUTE=100000, the bundled server lets more gateways register.",
    "",
    "  device-gateway simulate --url http://127.0.0.1:3000 --devices 1000 --interval 10s --profile rough",
  ].join("\n"),
  async run(context, { values }) {
    const profile = profiles[values.profile];
    if (profile === undefined) {
      const known = Object.keys(profiles).join(", ");
      throw new CliError(
        `--profile: "${values.profile}" is unknown. Use ${known}.`,
        exitCodes.usage,
      );
    }
    const devices = toCount("devices", values.devices);
    const intervalMs = toMs("interval", values.interval);
    const durationMs = toMs("duration", values.duration);
    const seed = toCount("seed", values.seed);
    const baseUrl = readServerUrl(values.url, values["base-path"]);
    const key = values.key === undefined ? null : await readPinnedKey(values.key);
    const permits = createUpdatePermits(maxConcurrentUpdates);
    const stats = createFleetStats();
    const { now } = context;
    const startedAt = now();
    const run = Date.now().toString(36);
    const fleet = Array.from({ length: devices }, (_, index) =>
      createVirtualGateway({
        baseUrl,
        basePath: values["base-path"],
        fetch: context.fetch,
        deviceId: `${values.prefix}-${run}-${index + 1}`,
        targetHardware: values.target,
        random: createSeededRandom(seed * 1_000_003 + index),
        ...{ profile, now, stats, key, permits },
      }),
    );

    let endsAt = Number.POSITIVE_INFINITY;
    const progress = () => ({
      seconds: (now() - startedAt) / 1000,
      endsAtSeconds: Number.isFinite(endsAt) ? (endsAt - startedAt) / 1000 : null,
      devices,
    });
    let seconds = 0;
    const ticker = setInterval(() => {
      const line = describeProgress(stats, progress());
      if (context.show !== null) context.show(line);
      else if (++seconds % 10 === 0) context.log(line);
    }, 1_000);
    const runs: Promise<void>[] = [];
    const until = () => endsAt - now();
    try {
      await registerFleet(fleet, {
        now,
        onRegistered(gateway) {
          const delayMs = gateway.phase * intervalMs;
          runs.push(runGateway(gateway, { intervalMs, delayMs, until }));
        },
      });
      endsAt = now() + durationMs;
      await Promise.all(runs);
      const left = await Promise.all(fleet.map((gateway) => gateway.finish()));
      stats.waiting = left.reduce((sum, waiting) => sum + waiting, 0);
    } finally {
      endsAt = Math.min(endsAt, now());
      clearInterval(ticker);
      context.show?.("");
    }
    context.print(renderTable(summarize(stats, progress())));
    const problems = findProblems(stats);
    if (problems.length > 0) throw new CliError(problems.join("\n"));
    context.print("Every reading arrived exactly once.");
  },
});
