import { setTimeout as wait } from "node:timers/promises";
import { bundleProgram } from "../../../scripts/bundle-programs.js";
import { type Attack, type AttackOptions, createFindings, type Findings } from "../attack.js";
import { createDice, type Dice, seedOfRound } from "../dice.js";
import { smallLog } from "../disk/small-log.js";
import { buildDiskWatch, findWatchProblem } from "../disk/watch-disk.js";
import { describeUnfinished } from "../load/bounded-wait.js";
import { type Recorders, startRecorders } from "../load/recorders.js";
import type { ReportLine } from "../report.js";
import { checkStore } from "./check-store.js";
import { type CrashTools, type CrashWorld, openCrashWorld } from "./crash-world.js";
import { makeOldDatabase } from "./old-database.js";
import { killPoints, type Point, points } from "./points.js";

const server = "torture/src/crash/server-process.ts";
const devices = ["gw-0", "gw-1", "gw-2"];
const dayMs = 86_400_000;
/** A point that is not reached within this time counts as never reached. */
const pointTimeoutMs = 120_000;
const bar = "0 lost, 0 twice";

export interface CrashOptions extends AttackOptions {
  /** The planted bug: the server acknowledges before it commits. */
  readonly planted?: "hasty";
}

interface Trial {
  readonly options: CrashOptions;
  readonly tools: CrashTools;
  readonly findings: Findings;
  readonly dice: Dice;
  readonly progress: () => void;
}

/** Starts a server that kills itself at a point. Returns whether it reached the point. */
async function runUntilKilled(
  world: CrashWorld,
  scene: string,
  point: Point,
  nth: number,
): Promise<boolean> {
  const server = world.start(scene, { point, nth });
  const timer = new AbortController();
  const isLate = wait(pointTimeoutMs, "late" as const, { signal: timer.signal }).catch(
    () => "late" as const,
  );
  const end = await Promise.race([server.ended, isLate]);
  timer.abort();
  if (end !== "late") return end.signal === "SIGKILL";
  await server.kill();
  return false;
}

async function check(
  { findings }: Trial,
  world: CrashWorld,
  { acknowledged }: Pick<Recorders, "acknowledged">,
  where: string,
  facts: { readonly hasOldRecords?: boolean; readonly hasAllHours?: boolean } = {},
): Promise<number> {
  const { hasOldRecords = false, hasAllHours = false } = facts;
  const { images, arrivals } = world;
  const expected = { acknowledged, images, hasOldRecords, hasAllHours, arrivals };
  const found = await checkStore(world.place, expected);
  for (const what of found) findings.add(`${where}: ${what}`);
  return found.length;
}

/** Has the clients send what is left, stops the server by SIGTERM, and checks the store. */
async function settle(
  trial: Trial,
  world: CrashWorld,
  recorders: Recorders,
  where: string,
  hasAllHours: boolean,
): Promise<number> {
  const last = world.start(trial.options.planted ?? "");
  await last.ready;
  const [stopped] = await Promise.all([recorders.stop(), world.arrivals?.stop()]);
  const unfinished = describeUnfinished([stopped]);
  if (unfinished !== undefined) trial.findings.add(`${where}: ${unfinished}`);
  process.kill(last.pid, "SIGTERM");
  await last.ended;
  return check(trial, world, recorders, where, { hasAllHours });
}

async function killAtMigration(trial: Trial, point: Point, kills: number): Promise<number> {
  const { options, tools, findings } = trial;
  const isFile = options.store === "sqlite";
  let violations = 0;
  for (let n = 0; n < kills; n++) {
    const world = await openCrashWorld(options.store, tools);
    if (isFile) makeOldDatabase(`${world.place.folder}/gateway.db`);
    const nth = 1 + (n % point.upTo);
    if (!(await runUntilKilled(world, "migration", point, nth)))
      findings.add(`the server never reached the point "${point.name}"`);
    const again = world.start("");
    await again.ready;
    await again.kill();
    const nothing = { acknowledged: new Map<string, string[]>() };
    violations += await check(trial, world, nothing, point.name, { hasOldRecords: isFile });
    await world.remove();
    trial.progress();
  }
  return violations;
}

async function killAtPoint(
  trial: Trial,
  world: CrashWorld,
  point: Point,
  kills: number,
): Promise<number> {
  const { options, findings, dice } = trial;
  const { baseUrl, now } = world;
  const recorders = startRecorders({ baseUrl, seed: options.seed, devices, now });
  world.arrivals?.begin(baseUrl);
  const scene = point.scene ?? options.planted ?? "";
  const drops = point.scene === "retention";
  let violations = 0;
  // The first server stores records, so that the next one has something to drop.
  if (drops) await runUntilStored(world, recorders);
  for (let n = 0; n < kills; n++) {
    if (drops) {
      world.offsetMs += 3 * dayMs;
      recorders.forget();
    }
    const nth = 1 + dice.int(point.upTo);
    if (!(await runUntilKilled(world, scene, point, nth)))
      findings.add(`the server never reached the point "${point.name}"`);
    if (drops) {
      await runUntilStored(world, recorders);
      violations += await check(trial, world, recorders, point.name);
    }
    trial.progress();
  }
  return violations + (await settle(trial, world, recorders, point.name, !drops));
}

/** Runs a server until it has acknowledged a record, then kills it. */
async function runUntilStored(world: CrashWorld, { acknowledged }: Recorders): Promise<void> {
  const running = world.start("");
  await running.ready;
  const isEmpty = () => [...acknowledged.values()].every(({ length }) => length === 0);
  const startedAt = performance.now();
  while (isEmpty() && performance.now() - startedAt < pointTimeoutMs) await wait(20);
  await running.kill();
}

const median = (numbers: readonly number[]) =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;

const describeStarts = (starts: number, ratio: number): ReportLine => ({
  what: "time to the first 200 after a crash with waiting clients, relative to an idle start",
  rounds: starts,
  result: `${ratio.toFixed(2)} ×`,
  bar: "≤ 2 ×",
});

/**
 * Kills the server from outside at any moment, also while it starts. Then measures
 * `starts` starts after a crash, and as many without one.
 */
async function killAnywhere(
  trial: Trial,
  world: CrashWorld,
  kills: number,
  starts: number,
): Promise<ReportLine[]> {
  const { options, findings, dice } = trial;
  const { baseUrl, now } = world;
  const recorders = startRecorders({ baseUrl, seed: options.seed, devices, now });
  world.arrivals?.begin(baseUrl);
  for (let n = 0; n < kills; n++) {
    const living = world.start(options.planted ?? "");
    // Some servers are killed before they are ready.
    if (dice.chance(0.9)) await living.ready;
    await wait(dice.int(400));
    await living.kill();
    trial.progress();
  }
  const afterCrash: number[] = [];
  for (let n = 0; n < starts; n++) {
    const startedAt = performance.now();
    const living = world.start("");
    afterCrash.push(await world.firstAnswer(startedAt, living));
    await wait(200);
    await living.kill();
  }
  const acknowledged = () =>
    [...recorders.acknowledged.values()].reduce((sum, { length }) => sum + length, 0);
  const violations = await settle(trial, world, recorders, "anywhere", true);
  const idle: number[] = [];
  for (let n = 0; n < starts; n++) {
    const startedAt = performance.now();
    const living = world.start("");
    idle.push(await world.firstAnswer(startedAt, living));
    process.kill(living.pid, "SIGTERM");
    await living.ended;
  }
  const ratio = median(afterCrash) / median(idle);
  if (ratio > 2) findings.add(`a start after a crash takes ${ratio.toFixed(2)} × an idle start`);
  return [
    {
      what: `anywhere under load, ${acknowledged()} readings acknowledged`,
      rounds: kills,
      result: `${violations} violations`,
      bar,
    },
    ...(starts === 0 ? [] : [describeStarts(starts, ratio)]),
    ...(world.arrivals === undefined ? [] : [world.arrivals.describe()]),
  ];
}

/** The default scene also has alerts and a sink. They would wait in vain for records that retention or a bug has dropped. */
async function inWorld<Outcome>(
  { options, tools }: Trial,
  scene: string,
  work: (world: CrashWorld) => Promise<Outcome>,
): Promise<Outcome> {
  const seed = scene === "" ? options.seed : undefined;
  const world = await openCrashWorld(options.store, tools, seed);
  return work(world).finally(world.remove);
}

async function runCrash(options: CrashOptions) {
  const { store, planted = "" } = options;
  if (store === "memory") return { name: "crash memory", lines: [], violations: [] };
  const findings = createFindings("crash", options);
  const changes = [...killPoints, smallLog];
  const program = await bundleProgram(server, {
    ...{ variant: "with-kill-points", changes },
    // It starts often.
    isWhole: true,
  });
  const cannot = findWatchProblem();
  const watch = cannot === undefined ? buildDiskWatch() : undefined;
  const each = options.rounds ?? (options.long ? 20 : 1);
  const anywhere = (options.long ? 15 : 2) * each;
  const total = points[store].length * each + anywhere;
  let done = 0;
  const progress = () => options.progress?.(++done, total);
  const tools = { program, watch };
  const lines: ReportLine[] = [];
  try {
    for (const [place, point] of points[store].entries()) {
      // `--round` runs only one point.
      if (options.round !== undefined && options.round !== place) continue;
      const what = `at ${point.name}`;
      if (point.disk !== undefined && watch === undefined) {
        lines.push({ what: `${what}: skipped, ${cannot}`, rounds: 0, result: "", bar });
        continue;
      }
      const dice = createDice(seedOfRound(options.seed, place));
      const trial = { options, tools, findings, dice, progress };
      const violations =
        point.scene === "migration"
          ? await killAtMigration(trial, point, each)
          : await inWorld(trial, point.scene ?? planted, (world) =>
              killAtPoint(trial, world, point, each),
            );
      lines.push({ what, rounds: each, result: `${violations} violations`, bar });
    }
    if (options.round === undefined || options.round === points[store].length) {
      const dice = createDice(seedOfRound(options.seed, points[store].length));
      const trial = { options, tools, findings, dice, progress };
      // Only the long form judges how long a start takes.
      const starts = options.long ? 10 : 0;
      lines.push(
        ...(await inWorld(trial, planted, (world) => killAnywhere(trial, world, anywhere, starts))),
      );
    }
    return { name: `crash ${store}`, lines, violations: findings.violations };
  } finally {
    watch?.remove();
  }
}

/**
 * Sends SIGKILL to the server at named points and anywhere under load, while clients retry. Every
 * acknowledged record must be stored exactly once.
 */
export const crash: (options: CrashOptions) => ReturnType<Attack> = runCrash;
