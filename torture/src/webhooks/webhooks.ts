import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { generateSecrets } from "@device-gateway/core";
import { sampleDevice, sampleEvent } from "@device-gateway/testing";
import { createWebhookManager } from "@device-gateway/webhooks";
import { bundleProgram } from "../../../scripts/bundle-programs.js";
import { type Attack, type AttackOptions, createFindings, runRounds } from "../attack.js";
import { createDice } from "../dice.js";
import { spawnKillable } from "../killable.js";
import type { Report } from "../report.js";
import { createStorage } from "../storage.js";

const devices = ["gw-1", "gw-2", "gw-3", "gw-4", "gw-5"];
/** Owns all devices and has an endpoint. */
const ownerId = "bob";
/** A device that the owner releases in each round, before its last event was sent. */
const released = "gw-released";
const eventsOfRound = 12;
/** A sender that ends without being killed has passed all its steps. It never has more steps than this. */
const maxSteps = 400;

interface Message {
  readonly type: string;
  readonly data: { readonly deviceId: string; readonly sequence: number };
}

/** Starts a receiver that refuses, drops or accepts at random. Returns what it accepted, in order. */
async function startRandomReceiver(random: () => number) {
  const accepted = { operators: [] as Message[], owner: [] as Message[] };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const luck = random();
      if (luck < 0.1) return void response.destroy();
      if (luck < 0.2) return void response.writeHead(503).end();
      const message = JSON.parse(Buffer.concat(chunks).toString()) as Message;
      accepted[request.url === "/owner" ? "owner" : "operators"].push(message);
      // It has the message, but the sender may get no response.
      if (luck < 0.25) response.destroy();
      else response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { accepted, url: `http://127.0.0.1:${port}/`, close };
}

/** Returns what is wrong with the messages that arrived: missing ones, or a first arrival out of order. */
function judge(accepted: readonly Message[], written: readonly (readonly [string, number])[]) {
  const wrong: string[] = [];
  const last = new Map<string, number>();
  const seen = new Set<number>();
  for (const { data } of accepted) {
    const { deviceId, sequence } = data;
    if (seen.has(sequence)) continue;
    seen.add(sequence);
    if (sequence < (last.get(deviceId) ?? 0)) wrong.push(`an event of ${deviceId} arrived late`);
    last.set(deviceId, sequence);
  }
  const missing = written.filter(([, id]) => !seen.has(id));
  if (missing.length > 0) wrong.push(`${missing.length} of ${written.length} events are missing`);
  return wrong;
}

const nothingDone = (store: string): Report => ({
  name: `webhooks ${store}`,
  lines: [{ what: "a sender that is killed", rounds: 0, result: "needs a database", bar: "-" }],
  violations: [],
});

/** Runs the attack. `mode` plants a bug in the sender. */
export async function killSender(options: AttackOptions, mode = ""): Promise<Report> {
  const findings = createFindings("webhooks", options);
  const dice = createDice(options.seed);
  const program = await bundleProgram("torture/src/webhooks/sender-process.ts");
  const storage = await createStorage(options.store);
  const { place } = storage;
  if (place === null) return nothingDone(options.store);
  const store = await storage.open();
  const { pepper } = generateSecrets();
  const receiver = await startRandomReceiver(() => dice.int(1_000) / 1_000);
  const intranet = { allowIntranet: true, forOwners: true };
  const manager = createWebhookManager(store, { secrets: { pepper }, ...intranet });
  const filter = { kinds: ["device.renamed", "device.registered"] } as const;
  const by = { actor: "attack" };
  await manager.create({ url: `${receiver.url}operators`, filter, ...by });
  const ofOwner = { filter: { kinds: ["device.renamed"] as const }, ownerId };
  await manager.create({ url: `${receiver.url}owner`, ...ofOwner, ...by });
  const startedAt = Date.now();
  const written: (readonly [string, number])[] = [];
  const ofOwners: (readonly [string, number])[] = [];
  let kills = 0;

  const newestId = async () =>
    (await store.securityEvents.newest({ before: Number.MAX_SAFE_INTEGER, limit: 1 }))[0]?.id ?? 0;
  const claim = async (deviceId: string) => {
    const { claimCodeHash = null } = (await store.devices.find(deviceId)) ?? {};
    const event = { ...sampleEvent(deviceId), kind: "device.claimed", actor: ownerId } as const;
    await store.claims.claim({ deviceId, ownerId, claimCodeHash, now: 0, event });
  };
  const write = async (deviceId: string) => {
    const event = { ...sampleEvent(deviceId), at: 0 };
    if ((await store.devices.find(deviceId)) === null) {
      await store.devices.register({ device: sampleDevice(deviceId), event });
      written.push([deviceId, await newestId()]);
      await claim(deviceId);
    } else {
      const renamed = { ...event, kind: "device.renamed" } as const;
      await store.devices.rename({ deviceId, ownerId: null, name: "Boat", event: renamed });
      const id = await newestId();
      written.push([deviceId, id]);
      if (deviceId !== released) ofOwners.push([deviceId, id]);
    }
  };
  /** Writes an event of the owner's device, and releases the device before the event can be sent. */
  const writeAndRelease = async () => {
    await write(released);
    await claim(released);
    await write(released);
    const event = { ...sampleEvent(released), kind: "device.released", actor: ownerId } as const;
    await store.claims.release({ deviceId: released, ownerId, spendCode: false, event });
  };
  const run = async (step: number, round?: number) => {
    const sender = spawnKillable(program, {
      arguments: [place, pepper, String(step), String(startedAt), mode],
    });
    const { signal } = await sender.ended;
    if (signal === "SIGKILL") kills += 1;
    else if (!sender.said.includes("done")) findings.add("the sender ended with an error", round);
  };

  const rounds = await runRounds(options, { short: 5, long: maxSteps }, async (round) => {
    for (let n = 0; n < eventsOfRound; n++) await write(dice.pick(devices));
    await writeAndRelease();
    // The short form kills at steps that are spread over the first rounds of a sender.
    const step = options.long ? round : round * 7 + dice.int(7);
    await run(step, round);
  });
  await run(Number.MAX_SAFE_INTEGER);
  // The step of a later round may not exist.
  if (kills === 0 && options.round === undefined) findings.add("no sender was killed");
  const { operators, owner } = receiver.accepted;
  for (const what of judge(operators, written)) findings.add(what);
  for (const what of judge(owner, ofOwners)) findings.add(`the owner's endpoint: ${what}`);
  if (owner.some(({ data }) => data.deviceId === released)) {
    findings.add("the owner got an event of a device that they had released");
  }
  const dead = (await store.webhooks.list()).map(({ id }) => id);
  for (const endpointId of dead) {
    const letters = await store.webhooks.dead({ endpointId, limit: 1 });
    if (letters.length > 0) findings.add("a message was given up");
  }
  receiver.close();
  await store.close();
  await storage.remove();
  const { violations } = findings;
  return {
    name: `webhooks ${options.store}`,
    lines: [
      {
        what: `events while the sender was killed ${kills}×`,
        rounds,
        result: `${written.length} written, ${operators.length + owner.length} arrived, ${violations.length} violations`,
        bar: "each at least once, in order per device",
      },
    ],
    violations,
  };
}

/**
 * Kills the sender of webhooks before and after each of its calls of the store, while events are written and a receiver
 * refuses, drops and accepts at random. Every event must arrive, and the events of a device must arrive in order.
 */
export const webhooks: Attack = (options) => killSender(options);
