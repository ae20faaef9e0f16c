import { setTimeout as wait } from "node:timers/promises";
import { CliError, defineCommand, exitCodes } from "../command.js";
import { profiles } from "./profile.js";
import { createTally, findFaults, summarize } from "./tally.js";
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

/** Mulberry32: the same fleet for the same seed. */
function createDice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

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
    duration: { type: "string", value: "TIME", help: "How long it runs.", default: "1m" },
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
    seed: { type: "string", value: "N", help: "The same seed makes the same luck.", default: "1" },
  },
  notes: [
    "The exit code is 1 when a reading was lost, stored twice or rejected, or a code came back that",
    "is neither a lost answer nor a request to wait. A server lets 120 gateways of one address",
    "register in a minute; the bundled one lets more with DG_LIMIT_AUTH_PER_MINUTE.",
    "",
    "  device-gateway simulate --url http://127.0.0.1:3000 --devices 1000 --profile rough",
  ].join("\n"),
  async run(context, { values }) {
    const profile = profiles[values.profile];
    if (profile === undefined) {
      const known = Object.keys(profiles).join(", ");
      throw new CliError(`--profile: there are ${known}.`, exitCodes.usage);
    }
    const devices = toCount("devices", values.devices);
    const intervalMs = toMs("interval", values.interval);
    const endsAt = context.now() + toMs("duration", values.duration);
    const seed = toCount("seed", values.seed);
    const tally = createTally();
    const startedAt = context.now();
    const run = Date.now().toString(36);
    const fleet = Array.from({ length: devices }, (_, index) => {
      const random = createDice(seed * 1_000_003 + index);
      const gateway = createVirtualGateway({
        baseUrl: values.url,
        basePath: values["base-path"],
        fetch: context.fetch,
        deviceId: `${values.prefix}-${run}-${index + 1}`,
        targetHardware: values.target,
        profile,
        random,
        now: context.now,
        tally,
      });
      return { gateway, delayMs: random() * intervalMs };
    });

    const line = () => summarize(tally, (context.now() - startedAt) / 1000, devices);
    let told = 0;
    const ticker = setInterval(() => {
      if (context.show !== null) context.show(line());
      else if (++told % 10 === 0) context.tell(line());
    }, 1_000);
    try {
      const until = () => endsAt - context.now();
      await Promise.all(
        fleet.map(({ gateway, delayMs }) => live(gateway, { intervalMs, delayMs, until })),
      );
      const left = await Promise.all(fleet.map(({ gateway }) => gateway.finish()));
      tally.waiting = left.reduce((sum, waiting) => sum + waiting, 0);
    } finally {
      clearInterval(ticker);
      context.show?.("");
    }
    context.print(line());
    const faults = findFaults(tally);
    if (faults.length > 0) throw new CliError(faults.join("\n"));
    context.print("Every reading arrived, each once.");
  },
});
