import type { Device } from "@device-gateway/core/store";
import { type Attack, type AttackOptions, createFindings, runRounds } from "../attack.js";
import { createDice, type Dice, seedOfRound } from "../dice.js";
import { createStorage } from "../storage.js";
import { need, needText, openWorld, type World } from "../world.js";
import { type AttackerCredentials, type Attempt, pickAttempt } from "./attempt.js";
import { createVictim, liveOn, logIn, type Victim } from "./victim.js";

/** Attempts in one round, which has its own world. */
const attemptsPerWorld = 250;
const victimsPerWorld = 4;

/** Serializes a device without `lastSeenAt`. A refused request must not change the rest. */
function snapshot(device: Device | null | undefined): string {
  if (!device) return "deleted";
  const { lastSeenAt: _, ...rest } = device;
  return JSON.stringify(rest);
}

async function registerOwnDevice(world: World): Promise<AttackerCredentials> {
  const body = {
    deviceId: "attackers-own",
    hardwareId: "esp32:devkit-v1",
    firmwareVersion: "0.1.10",
    claimCode: "ATTACKER1",
  };
  const reply = need(await world.send({ method: "POST", path: "/device/register", body }), 201);
  return { ownSecret: needText(reply, "deviceSecret"), ownToken: needText(reply, "token") };
}

interface Tally {
  attempts: number;
  withProof: number;
  accepted: number;
}

/** Sends attempts without proof at once, and checks that the device is unchanged. */
async function assault(world: World, victim: Victim, attempts: readonly Attempt[], dice: Dice) {
  const find = async () => snapshot(await world.stores[0]?.devices.find(victim.deviceId));
  const before = await find();
  const replies = await Promise.all(
    attempts.map(({ request }) => world.send(request, dice.int(2))),
  );
  const found: string[] = [];
  for (const [n, { status, body }] of replies.entries()) {
    const { request } = attempts[n] as Attempt;
    const sent = `${request.method} ${request.path} ${JSON.stringify(request.body)}`;
    const state = JSON.stringify({ ...victim, tokens: undefined });
    if (status < 300) found.push(`${sent} gets ${status} without proof on ${state}`);
    if (status >= 500) found.push(`${sent} gets ${status} on ${state}`);
    if (body.includes('"deviceSecret":"')) found.push(`${sent} returns a secret`);
  }
  const after = await find();
  if (after !== before) found.push(`changed without proof: ${before} became ${after}`);
  return found;
}

/** Sends an attempt with a valid proof. It must succeed, unless the attempts without proof have used a limit up. */
async function sendProven(world: World, { request }: Attempt, tally: Tally): Promise<string[]> {
  const { status, body } = await world.send(request);
  if (status === 200) tally.accepted++;
  const ok = status === 200 || status === 429;
  return ok ? [] : [`proof was refused: ${JSON.stringify(request)} gets ${status} ${body}`];
}

async function runWorld(options: AttackOptions, round: number, tally: Tally): Promise<string[]> {
  const { store, seed, plants } = options;
  const dice = createDice(seedOfRound(seed, round));
  const storage = await createStorage(store);
  const world = await openWorld({ storage, seed, gateways: 2, plants });
  const attacker = await registerOwnDevice(world);
  let created = 0;
  const next = () => createVictim(world, dice, created++);
  const victims: Victim[] = [];
  for (let n = 0; n < victimsPerWorld; n++) victims.push(await next());
  const found: string[] = [];
  for (let sent = 0; sent < attemptsPerWorld; ) {
    const place = dice.int(victims.length);
    const victim = victims[place] as Victim;
    if (dice.chance(0.15)) {
      const wrong = await liveOn(world, victim, dice);
      if (wrong !== null) found.push(`${victim.deviceId}: ${wrong}`);
    }
    const burst: Attempt[] = [];
    for (let n = dice.chance(0.2) ? 4 : 1; n > 0; n--) {
      burst.push(await pickAttempt(world, victim, attacker, dice));
    }
    sent += burst.length;
    const unproven = burst.filter(({ hasProof }) => !hasProof);
    found.push(...(await assault(world, victim, unproven, dice)));
    const [proven] = burst.filter(({ hasProof }) => hasProof);
    if (proven !== undefined) {
      tally.withProof++;
      if (!victim.revoked && dice.chance(0.9)) {
        const wrong = await logIn(world, victim);
        if (wrong !== null) found.push(`${victim.deviceId} is locked out: ${wrong}`);
      }
      found.push(...(await sendProven(world, proven, tally)));
      victims[place] = await next();
    }
    tally.attempts += unproven.length;
  }
  for (const victim of victims.filter(({ revoked }) => !revoked)) {
    const wrong = await logIn(world, victim);
    if (wrong !== null) found.push(`${victim.deviceId} is locked out in the end: ${wrong}`);
  }
  await world.close();
  await storage.remove();
  return found;
}

/**
 * Tries to register a device again, to log in as it, to claim it and to change it, knowing everything but a
 * valid proof. Whether an attempt has a proof is computed here, independently of the gateway.
 */
export const reRegistration: Attack = async (options) => {
  const findings = createFindings("re-registration", options);
  const tally: Tally = { attempts: 0, withProof: 0, accepted: 0 };
  const { rounds: attempts, ...rest } = options;
  const rounds = attempts === undefined ? {} : { rounds: Math.ceil(attempts / attemptsPerWorld) };
  await runRounds({ ...rest, ...rounds }, { short: 8, long: 500 }, async (round) => {
    for (const what of await runWorld(options, round, tally)) findings.add(what, round);
  });
  if (tally.accepted === 0) findings.add("no attempt with proof was accepted");
  const { violations } = findings;
  return {
    name: `re-registration ${options.store}`,
    lines: [
      {
        what: "attempts without proof",
        rounds: tally.attempts,
        result: `${violations.length} changes or lock-outs`,
        bar: "0 changes of secret, code or owner",
      },
      {
        what: "attempts with proof",
        rounds: tally.withProof,
        result: `${tally.accepted} accepted`,
        bar: "accepted, as §1 to §3 say, or over a limit",
      },
    ],
    violations,
  };
};
