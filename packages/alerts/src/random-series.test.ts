import type { JsonObject } from "@device-gateway/core/store";
import { createSeededNumbers } from "@device-gateway/testing";
import { expect, test } from "vitest";
import { mostInSuccession } from "./judgement/firing-budget.js";
import type { LevelCondition } from "./judgement/level-state.js";
import { minuteMs, openAlertWorld } from "./testing/alert-world.js";

/** SERIES=10000 npm test -- packages/alerts runs that many. */
const series = Number(process.env["SERIES"] ?? 150);

/** Transitions until the limit of alerts in succession applies. flood.test.ts tests what follows. */
const unlimited = 2 * mostInSuccession;

interface Sent {
  readonly at: number;
  readonly value: number | null;
}

type Dice = (below: number) => number;

/** Creates integers from 0 to below a bound. */
function createDice(seed: number): Dice {
  const next = createSeededNumbers(seed);
  return (below) => Math.floor(next() * below);
}

const toCondition = (dice: Dice): LevelCondition => {
  const threshold = 40 + dice(20);
  const gap = dice(3) * 5;
  const kind = dice(2) === 0 ? "above" : "below";
  const clearAt = kind === "above" ? threshold - gap : threshold + gap;
  return { kind, metric: "soc", threshold, clearAt, holdSeconds: dice(3) * 90 };
};

/**
 * Computes the transitions from the whole history: each round's records in order of measurement, without those that are
 * older than an earlier one.
 */
function computePlainly(condition: LevelCondition, rounds: readonly (readonly Sent[])[]): string[] {
  const isBeyond = (value: number) =>
    condition.kind === "above" ? value > condition.threshold : value < condition.threshold;
  const isCleared = (value: number) =>
    condition.kind === "above" ? value <= condition.clearAt : value >= condition.clearAt;
  const judged: { readonly at: number; readonly value: number }[] = [];
  const transitions: string[] = [];
  let newest = 0;
  let firing = false;
  for (const round of rounds) {
    const inOrder = round
      .map((sent, n) => ({ ...sent, n }))
      .sort((a, b) => a.at - b.at || a.n - b.n);
    for (const { at, value } of inOrder) {
      if (at < newest) continue;
      newest = at;
      if (value === null) continue;
      judged.push({ at, value });
      const first = judged.findLastIndex((one) => !isBeyond(one.value)) + 1;
      const heldMs = at - (judged[first]?.at ?? at);
      if (firing && isCleared(value)) transitions.push(`cleared ${value}`);
      else if (!firing && isBeyond(value) && heldMs >= condition.holdSeconds * 1_000)
        transitions.push(`firing ${value}`);
      else continue;
      firing = !firing;
    }
  }
  return transitions;
}

/** Sends a random series with gaps, late records and records out of order, and judges now and then. */
async function runSeries(seed: number): Promise<void> {
  const dice = createDice(seed);
  const condition = toCondition(dice);
  const world = openAlertWorld();
  await world.register("gw-1");
  await world.addRule("level", { condition });
  await world.alerts.runOnce();
  const rounds: Sent[][] = [];
  let level = 50;
  for (let n = 0; n < 12; n++) {
    world.clock.advance((dice(8) === 0 ? 60 : 1) * minuteMs);
    const round: Sent[] = [];
    for (let left = dice(5); left > 0; left--) {
      level += dice(21) - 10;
      // Late by up to an hour, within a round in any order.
      const agoMs = dice(4) === 0 ? 1 + dice(3_600) * 1_000 : 1 + dice(60) * 1_000;
      const value = dice(9) === 0 ? null : level;
      const body: JsonObject = value === null ? { voltage: 1 } : { soc: value };
      round.push({ at: world.clock.now() - agoMs, value });
      await world.send("gw-1", { ...body, nonce: `${n}-${left}` }, agoMs);
    }
    rounds.push(round);
    world.clock.advance(1_000);
    await world.alerts.runOnce();
    // A round without anything new changes nothing.
    if (dice(3) === 0) await world.pass(minuteMs);
  }
  const events = await world.store.securityEvents.list({ after: 0, limit: 1_000 });
  const found = events.flatMap(({ kind, details }) =>
    kind === "alert.firing" || kind === "alert.cleared"
      ? [`${kind.slice("alert.".length)} ${String(details["value"])}`]
      : [],
  );
  const plain = computePlainly(condition, rounds);
  expect(found.slice(0, unlimited), `seed ${seed}, ${JSON.stringify(condition)}`).toEqual(
    plain.slice(0, unlimited),
  );
  expect(found.length).toBeLessThanOrEqual(plain.length);
}

test("§8 random series have the alerts of a plain computation", async () => {
  for (let seed = 1; seed <= series; seed++) await runSeries(seed);
});
