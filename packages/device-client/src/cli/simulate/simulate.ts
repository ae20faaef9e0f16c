import { setTimeout as wait } from "node:timers/promises";
import { CliError, defineCommand, exitCodes } from "../command.js";
import { readServerUrl } from "../server-url.js";
import { renderTable } from "../table.js";
import { createDice } from "./dice.js";
import { profiles } from "./profile.js";
import { readPinnedKey } from "./read-pinned-key.js";
import { registerFleet } from "./register-fleet.js";
import { describeMoment, summarize } from "./summary.js";
import { createTally, findFaults } from "./tally.js";
import { createSlots } from "./virtual-firmware.js";
import { createVirtualGateway, type VirtualGateway } from "./virtual-gateway.js";

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

function toMs(option: string, text: string): number {
  const [, amount, unit = ""] = /^(\d{1,6})(ms|s|m|h)$/.exec(text) ?? [];
  const ms = Number(amount) * (units[unit] ?? 0);
  if (ms > 0) return ms;
  throw new CliError(
    `--${option}: "${text}" is no time such as 500ms, 10s or 5m.`,
    exitCodes.usage,
  );
}

function toCount(option: string, text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new CliError(`--${option}: "${text}" is no number from 1 to 999999.`, exitCodes.usage);
}

/** Images in memory at a time: gateways beyond it update themselves at a later reading. */
const slotCount = 50;

/** A gateway's life: begins somewhere in the first interval, so that a fleet does not march in step. */
async function live(
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

/** `device-gateway simulate`: a fleet over real HTTP, whose readings must all arrive. */
export const simulate = defineCommand({
  name: "simulate",
  summary: "Runs a fleet of virtual gateways against a server, and checks that nothing is lost.",
  operands: [],
  options: {
    url: {
      type: "string",
      value: "URL",
      help: "Where the gateway is, such as http://127.0.0.1:3000.",
      required: true,
      variable: "DEVICE_GATEWAY_URL",
    },
    "base-path": {
      type: "string",
      value: "PATH",
      help: "What the API's paths begin with.",
      default: "/api/v1",
    },
    devices: { type: "string", value: "N", help: "How many gateways.", default: "10" },
    interval: { type: "string", value: "TIME", help: "Between two readings.", default: "10s" },
    duration: {
      type: "string",
      value: "TIME",
      help: "How long it runs once all are registered.",
      default: "1m",
    },
    profile: {
      type: "string",
      value: "NAME",
      help: `How roughly the world treats them: ${Object.keys(profiles).join(", ")}.`,
      default: "steady",
    },
    prefix: {
      type: "string",
      value: "NAME",
      help: "What their ids begin with. Another one makes other devices.",
      default: "sim",
    },
    target: {
      type: "string",
      value: "NAME",
      help: "Their target hardware, for releases.",
      default: "sim-virtual",
    },
    key: {
      type: "string",
      value: "FILE",
      help: "Public key of releases, as NAME.public.pem: with it they take firmware.",
    },
    seed: { type: "string", value: "N", help: "The same seed makes the same luck.", default: "1" },
  },
  notes: [
    "They download, verify and install firmware as the reference updater does; some of it turns out bad,",
    "by the profile, and they go back. Publish for their --target, to see a rollout halt itself.",
    "",
    "The exit code is 1 when a reading was lost, stored twice or rejected, a gateway stayed on bad",
    "firmware, refused what it was offered, or got an answer that is neither a lost one nor a request to wait.",
    "",
    "A server lets 120 gateways of one address register in a minute, and the others wait for their turn.",
    "The bundled server lets more with DG_LIMIT_AUTH_PER_MINUTE=100000.",
    "",
    "  device-gateway simulate --url http://127.0.0.1:3000 --devices 1000 --interval 10s --profile rough",
  ].join("\n"),
  async run(context, { values }) {
    const profile = profiles[values.profile];
    if (profile === undefined) {
      const known = Object.keys(profiles).join(", ");
      throw new CliError(`--profile: there are ${known}.`, exitCodes.usage);
    }
    const devices = toCount("devices", values.devices);
    const intervalMs = toMs("interval", values.interval);
    const durationMs = toMs("duration", values.duration);
    const seed = toCount("seed", values.seed);
    const baseUrl = readServerUrl(values.url, values["base-path"]);
    const key = values.key === undefined ? null : await readPinnedKey(values.key);
    const slots = createSlots(slotCount);
    const tally = createTally();
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
        random: createDice(seed * 1_000_003 + index),
        ...{ profile, now, tally, key, slots },
      }),
    );

    let endsAt = Number.POSITIVE_INFINITY;
    const moment = () => ({
      seconds: (now() - startedAt) / 1000,
      endsAtSeconds: Number.isFinite(endsAt) ? (endsAt - startedAt) / 1000 : null,
      devices,
    });
    let told = 0;
    const ticker = setInterval(() => {
      const line = describeMoment(tally, moment());
      if (context.show !== null) context.show(line);
      else if (++told % 10 === 0) context.tell(line);
    }, 1_000);
    const lives: Promise<void>[] = [];
    const until = () => endsAt - now();
    try {
      await registerFleet(fleet, {
        now,
        onRegistered(gateway) {
          const delayMs = gateway.phase * intervalMs;
          lives.push(live(gateway, { intervalMs, delayMs, until }));
        },
      });
      endsAt = now() + durationMs;
      await Promise.all(lives);
      const left = await Promise.all(fleet.map((gateway) => gateway.finish()));
      tally.waiting = left.reduce((sum, waiting) => sum + waiting, 0);
    } finally {
      endsAt = Math.min(endsAt, now());
      clearInterval(ticker);
      context.show?.("");
    }
    context.print(renderTable(summarize(tally, moment())));
    const faults = findFaults(tally);
    if (faults.length > 0) throw new CliError(faults.join("\n"));
    context.print("Every reading arrived, each once.");
  },
});
