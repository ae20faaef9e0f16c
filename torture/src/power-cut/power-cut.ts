import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundlePrograms, type SourceChange } from "../../../scripts/bundle-programs.js";
import { type Attack, type AttackOptions, createFindings, runRounds } from "../attack.js";
import { createDice, seedOfRound } from "../dice.js";
import { createDiskModel, type PowerCut } from "../disk/disk-model.js";
import { type DiskOperation, readDiskLog } from "../disk/read-disk-log.js";
import { smallLog } from "../disk/small-log.js";
import { buildDiskWatch, type DiskWatch, findWatchProblem } from "../disk/watch-disk.js";
import { spawnKillable } from "../killable.js";
import { checkDisk, readAcknowledged } from "./check-disk.js";
import { checkPostgresSettings } from "./postgres-settings.js";

const writer = "torture/src/power-cut/writer-process.ts";
const cuts: readonly PowerCut[] = ["synced", "torn"];

/** The control: does not wait for the sync, like better-sqlite3 alone. */
const careless: SourceChange = {
  name: "no wait for the sync",
  file: smallLog.file,
  from: "await log?.whenDurable();",
  to: "",
};

interface Tally {
  cuts: number;
  acknowledged: number;
}

const isSync = ({ kind }: DiskOperation) => kind === "sync" || kind === "syncFolder";

interface Writing {
  readonly seed: number;
  readonly commits: number;
  readonly mode: string;
  /** Whether violations are expected. Then the power cuts begin with the first reading and end with the first violation. */
  readonly isExpected: boolean;
  /** While the database is migrated, only every so many syncs get a power cut. */
  readonly migrationStep: number;
}

/** Runs a writing process, then simulates a power cut before each of its fsyncs and at the end. */
async function cutEverywhere(
  options: Writing,
  program: string,
  watch: DiskWatch,
  tally: Tally,
): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "torture-power-"));
  const base = join(folder, "base");
  mkdirSync(base);
  const log = join(folder, "log");
  try {
    const given = [base, String(options.seed), String(options.commits), options.mode];
    const environment = watch.record(base, log);
    const { code } = await spawnKillable(program, { arguments: given, environment }).ended;
    if (code !== 0) throw new Error(`The writer exited with code ${code}.`);
    return await replay(readDiskLog(log), base, folder, options, tally);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function replay(
  operations: readonly DiskOperation[],
  base: string,
  folder: string,
  { seed, isExpected, migrationStep }: Writing,
  tally: Tally,
): Promise<string[]> {
  const dice = createDice(seed);
  const model = createDiskModel(base);
  const acksFile = join(base, "acks");
  const found = new Set<string>();
  let acknowledged = "";
  const cutPower = async (place: number) => {
    const known = readAcknowledged(acknowledged);
    for (const cut of cuts) {
      const disk = join(folder, "disk");
      mkdirSync(disk);
      model.restore(disk, cut, dice);
      const spoilt = await checkDisk(join(disk, "data"), known);
      rmSync(disk, { recursive: true });
      for (const what of spoilt)
        found.add(`power cut at ${place} of ${operations.length}, ${cut}: ${what}`);
      tally.cuts += 1;
    }
  };
  let syncs = 0;
  const isDue = () =>
    acknowledged.includes("reading ") || (!isExpected && syncs++ % migrationStep === 0);
  for (const [place, operation] of operations.entries()) {
    // Clients know an acknowledgement even if this file is lost.
    if ("path" in operation && operation.path === acksFile) {
      if (operation.kind === "write") acknowledged += operation.bytes.toString();
      continue;
    }
    if (isSync(operation) && isDue()) await cutPower(place);
    if (isExpected && found.size > 0) break;
    model.perform(operation);
  }
  await cutPower(operations.length);
  tally.acknowledged += acknowledged.split("\n").length - 1;
  return [...found];
}

export interface PowerOptions extends AttackOptions {
  /** The planted bug: the writer acknowledges before it commits. */
  readonly planted?: "hasty";
}

async function cutPower(options: PowerOptions) {
  const findings = createFindings("power-cut", options);
  const { planted } = options;
  const why = findWatchProblem();
  if (why !== undefined) {
    const what = `power cuts: skipped, ${why}`;
    return {
      name: "power-cut sqlite",
      lines: [{ what, rounds: 0, result: "", bar: "0 lost" }],
      violations: [],
    };
  }
  const watch = buildDiskWatch();
  const programs = await bundlePrograms([writer], { changes: [smallLog] });
  const control = await bundlePrograms([writer], { changes: [smallLog, careless] });
  const tally: Tally = { cuts: 0, acknowledged: 0 };
  const size = options.long
    ? { commits: 150, migrationStep: 1 }
    : { commits: 12, migrationStep: 4 };
  try {
    const rounds = await runRounds(options, { short: 1, long: 40 }, async (round) => {
      const isExpected = planted !== undefined;
      const seed = seedOfRound(options.seed, round);
      const run = { ...size, seed, isExpected, mode: planted ?? "" };
      const found = await cutEverywhere(run, programs.program(writer), watch, tally);
      for (const what of found) findings.add(what, round);
    });
    const forgotten: Tally = { cuts: 0, acknowledged: 0 };
    const run = { ...size, seed: seedOfRound(options.seed, 0), isExpected: true, mode: "" };
    const lost = await cutEverywhere(run, control.program(writer), watch, forgotten);
    if (lost.length === 0)
      findings.add("the control, which does not wait for the sync, lost nothing");
    const { violations } = findings;
    const what = `${tally.cuts} power cuts with ${tally.acknowledged} acknowledged items`;
    return {
      name: "power-cut sqlite",
      lines: [
        { what, rounds, result: `${violations.length} violations`, bar: "0 lost, 0 corrupt" },
        {
          what: `control without waiting for the sync: ${forgotten.cuts} power cuts`,
          rounds: 1,
          result: `${lost.length} violations`,
          bar: "some lost",
        },
      ],
      violations,
    };
  } finally {
    watch.remove();
    for (const { folder } of [programs, control]) rmSync(folder, { recursive: true });
  }
}

/**
 * Simulates a power cut at every fsync: what was not synced is lost, or written in part. All acknowledged
 * data must survive. On Postgres, checks only that unsafe settings are reported.
 */
export const powerCut = async (options: PowerOptions): ReturnType<Attack> => {
  if (options.store === "sqlite") return cutPower(options);
  if (options.store === "postgres") return checkPostgresSettings(options);
  return { name: `power-cut ${options.store}`, lines: [], violations: [] };
};
