import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Attack, type AttackOptions, createFindings, runRounds } from "../attack.js";
import { bundlePrograms, type SourceChange } from "../bundle-programs.js";
import { createDice, seedOfRound } from "../dice.js";
import { createDiskModel, type PowerCut } from "../disk/disk-model.js";
import { type Doing, readDiskLog } from "../disk/read-disk-log.js";
import { smallLog } from "../disk/small-log.js";
import { buildDiskWatch, type DiskWatch, whyNoWatch } from "../disk/watch-disk.js";
import { spawnKillable } from "../killable.js";
import { checkDisk, readAcknowledged } from "./check-disk.js";
import { tellsOfForgetfulServers } from "./postgres-settings.js";

const writer = "torture/src/power-cut/writer-process.ts";
const cuts: readonly PowerCut[] = ["synced", "torn"];

/** The control: what better-sqlite3 does by itself. */
const careless: SourceChange = {
  file: smallLog.file,
  from: "await log?.whenDurable();",
  to: "",
};

interface Tally {
  cuts: number;
  acknowledged: number;
}

const isSync = ({ kind }: Doing) => kind === "sync" || kind === "syncFolder";

/** Has a process write, then cuts the power before each of its fsyncs, and at the end. */
async function cutEverywhere(
  options: { readonly seed: number; readonly commits: number; readonly mode: string },
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
    if (code !== 0) throw new Error(`The writer ended with ${code}.`);
    return await replay(readDiskLog(log), base, folder, options.seed, tally);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function replay(
  doings: readonly Doing[],
  base: string,
  folder: string,
  seed: number,
  tally: Tally,
): Promise<string[]> {
  const dice = createDice(seed);
  const model = createDiskModel(base);
  const told = join(base, "acks");
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
        found.add(`power cut at ${place} of ${doings.length}, ${cut}: ${what}`);
      tally.cuts += 1;
    }
  };
  for (const [place, doing] of doings.entries()) {
    // What was told is known to others, whatever becomes of the file.
    if ("path" in doing && doing.path === told) {
      if (doing.kind === "write") acknowledged += doing.bytes.toString();
      continue;
    }
    if (isSync(doing)) await cutPower(place);
    model.perform(doing);
  }
  await cutPower(doings.length);
  tally.acknowledged += acknowledged.split("\n").length - 1;
  return [...found];
}

export interface PowerOptions extends AttackOptions {
  /** The planted bug: what is acknowledged is not committed yet. */
  readonly planted?: "hasty";
}

async function cutPower(options: PowerOptions) {
  const findings = createFindings("power-cut", options);
  const { planted } = options;
  const why = whyNoWatch();
  if (why !== undefined) {
    const what = `power cuts: not tried, ${why}`;
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
  const commits = options.long ? 150 : 12;
  try {
    const rounds = await runRounds(options, { short: 1, long: 40 }, async (round) => {
      const run = { seed: seedOfRound(options.seed, round), commits, mode: planted ?? "" };
      const found = await cutEverywhere(run, programs.program(writer), watch, tally);
      for (const what of found) findings.add(what, round);
    });
    const forgotten: Tally = { cuts: 0, acknowledged: 0 };
    const run = { seed: seedOfRound(options.seed, 0), commits, mode: "" };
    const lost = await cutEverywhere(run, control.program(writer), watch, forgotten);
    if (lost.length === 0) findings.add("the control, which waits for no sync, has lost nothing");
    const { violations } = findings;
    const what = `${tally.cuts} power cuts while ${tally.acknowledged} things were acknowledged`;
    return {
      name: "power-cut sqlite",
      lines: [
        { what, rounds, result: `${violations.length} spoilt`, bar: "0 lost, 0 corrupt" },
        {
          what: `control, which waits for no sync: ${forgotten.cuts} power cuts`,
          rounds: 1,
          result: `${lost.length} spoilt`,
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
 * R2: the power goes at every fsync; whatever was not synced by then is gone, or came in part. All
 * that was acknowledged is there when it comes back. Postgres keeps what its settings let it keep.
 */
export const powerCut = async (options: PowerOptions): ReturnType<Attack> => {
  if (options.store === "sqlite") return cutPower(options);
  if (options.store === "postgres") return tellsOfForgetfulServers(options);
  return { name: `R2 ${options.store}`, lines: [], violations: [] };
};
