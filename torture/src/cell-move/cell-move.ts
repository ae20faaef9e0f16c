import type { RequestListener } from "node:http";
import { cellOf } from "@device-gateway/store-cells";
import { undoMovePostgresStore } from "@device-gateway/store-postgres";
import { runOn } from "../../../packages/store-postgres/src/testing/temporary-database.js";
import { bundleProgram } from "../../../scripts/bundle-programs.js";
import { type Attack, type AttackOptions, createFindings, runRounds } from "../attack.js";
import { createDice, type Dice, seedOfRound } from "../dice.js";
import { spawnKillable } from "../killable.js";
import { describeUnfinished, patienceMs, untilTrue } from "../load/bounded-wait.js";
import { compareStored } from "../load/compare-stored.js";
import { type Observed, type PostLoad, preparePostLoad } from "../load/post-load.js";
import { createEmptyDatabase } from "../storage.js";
import { type MappedServer, movedSchema, openCells, openDoor, openServer } from "./servers.js";

export interface CellMoveOptions extends AttackOptions {
  /** Bug to plant: after the move, the old place is opened again. */
  readonly planted?: "reopened";
}

/** Returns some devices of a cell. */
const devicesOf = (cell: number): readonly string[] =>
  Array.from({ length: 40 }, (_, n) => `gw-${n}`)
    .filter((deviceId) => cellOf(deviceId, 2) === cell)
    .slice(0, 4);
const [kept, moved] = [devicesOf(0), devicesOf(1)];

interface Kill {
  readonly kind: string;
  /** Number of steps of this kind before the kill. */
  readonly after: number;
}

/** Steps of tables are alike, so one of them at random stands for all. */
function chooseKills(dice: Dice, long: boolean): readonly Kill[] {
  const some = (kind: string): Kill => ({ kind, after: dice.int(40) });
  const first = (kind: string): Kill => ({ kind, after: 0 });
  const short = [some("copied"), first("handed over")];
  if (!long) return short;
  return [
    first("fenced"),
    first("prepared"),
    some("copied"),
    some("verified"),
    ...short,
    first("opened"),
  ];
}

interface Tally {
  kills: number;
  undone: number;
  taken: number;
  unavailable: number;
  longestMoveMs: number;
  acknowledged: number;
  lost: number;
  twice: number;
  secondWrites: number;
}

async function moveUnderLoad(options: CellMoveOptions) {
  const findings = createFindings("cell-move", options);
  const { seed, long = false, planted } = options;
  const program = await bundleProgram("torture/src/cell-move/mover-process.ts");
  const tally: Tally = {
    ...{ kills: 0, undone: 0, taken: 0, unavailable: 0, longestMoveMs: 0 },
    ...{ acknowledged: 0, lost: 0, twice: 0, secondWrites: 0 },
  };

  async function run(round: number): Promise<void> {
    const dice = createDice(seedOfRound(seed, round));
    const databases = [await createEmptyDatabase(), await createEmptyDatabase()];
    const [from = "", to = ""] = databases.map(({ place }) => place ?? "");
    const wrong = new Map<string, number>();
    const note = (what: string) => void wrong.set(what, (wrong.get(what) ?? 0) + 1);
    const servers: MappedServer[] = [await openServer(from, from)];
    let isFenced = false;

    /** The former server. It must acknowledge nothing that it gets after the fence. */
    const withStaleMap: RequestListener = (request, response) => {
      const wasFenced = isFenced;
      response.once("finish", () => {
        if (wasFenced && response.statusCode === 200) tally.secondWrites += 1;
      });
      servers[0]?.listener(request, response);
    };
    const observe = (mayWait: boolean) => (observed: Observed) => {
      const { status, retryAfter, fault } = observed;
      if (status === 200) tally.taken += 1;
      // On a busy machine, calls of the short form reach their deadlines.
      else if (status === 503 && retryAfter !== undefined && (mayWait || !long))
        tally.unavailable += 1;
      else note(`${status ?? fault}${mayWait ? "" : " in the cell that stays"}`);
    };
    const pick = () => servers[dice.int(servers.length)];
    const doors = [
      await openDoor(() => pick()?.listener ?? withStaleMap),
      await openDoor(() => {
        const server = pick();
        return server === undefined || server === servers[0] ? withStaleMap : server.listener;
      }),
    ];
    const [doorOfKept, doorOfMoved] = doors;
    const loads: PostLoad[] = [];
    for (const [door, devices, mayWait] of [
      [doorOfKept, kept, false],
      [doorOfMoved, moved, true],
    ] as const) {
      const pace = { connections: 2, pauseMs: long ? 10 : 40 };
      loads.push(
        await preparePostLoad({
          ...{ url: door?.url ?? "", seed, devices, observe: observe(mayWait) },
          ...pace,
        }),
      );
    }
    const [, loadOfMoved] = loads;
    const takenOfMoved = () =>
      [...(loadOfMoved?.acknowledged.values() ?? [])].reduce((sum, { length }) => sum + length, 0);
    /** Waits until some more records of the moved cell's devices were acknowledged. */
    const untilTaken = async (more: number) => {
      const enough = takenOfMoved() + more;
      if (!(await untilTrue(() => takenOfMoved() >= enough)))
        note(`too few records were acknowledged within ${patienceMs} ms`);
    };

    /** Runs the mover. Returns whether it was killed. */
    const move = async ({ kind, after }: Kill) => {
      const mover = spawnKillable(program, {
        arguments: [from, to, movedSchema, kind, String(after)],
      });
      const seen = setInterval(() => {
        isFenced ||= mover.said.includes("fenced");
      }, 5);
      const { signal } = await mover.ended;
      clearInterval(seen);
      isFenced ||= mover.said.includes("fenced");
      if (signal === "SIGKILL") tally.kills += 1;
      else if (!mover.said.includes("done")) note(`the mover failed after ${mover.said.at(-1)}`);
      return signal === "SIGKILL";
    };

    try {
      for (const load of loads) load.begin();
      await untilTaken(20);
      if (long && (await move({ kind: "copied", after: dice.int(40) }))) {
        isFenced = false;
        await undoMovePostgresStore({ from, to, schema: movedSchema });
        tally.undone += 1;
        await untilTaken(20);
      }
      const startedAt = performance.now();
      for (const kill of chooseKills(dice, long)) {
        if (!(await move(kill))) note(`the mover was not killed after ${kill.kind}`);
      }
      if (await move({ kind: "", after: 0 })) note("the mover was killed by something else");
      tally.longestMoveMs = Math.max(tally.longestMoveMs, performance.now() - startedAt);
      if (planted === "reopened") {
        await runOn(
          from,
          `DROP SCHEMA ${movedSchema} CASCADE; ALTER SCHEMA ${movedSchema}__moved RENAME TO ${movedSchema}`,
        );
      }
      servers.push(await openServer(from, to));
      await untilTaken(60);
      const unfinished = describeUnfinished(await Promise.all(loads.map((load) => load.stop())));
      if (unfinished !== undefined) note(unfinished);
      const store = await openCells(from, to);
      const sent = new Map(loads.flatMap((load) => [...load.acknowledged]));
      const { acknowledged, lost, twice } = await compareStored(store, sent);
      await store.close();
      tally.acknowledged += acknowledged;
      tally.lost += lost;
      tally.twice += twice;
      if (lost > 0) findings.add(`${lost} acknowledged readings are lost`, round);
      if (twice > 0) findings.add(`${twice} readings are stored twice`, round);
      for (const [what, count] of wrong) findings.add(`${count} × ${what}`, round);
      options.print?.(`cell-move: round ${round + 1}`);
    } finally {
      for (const door of doors) door.close();
      await Promise.all(servers.map((server) => server.close()));
      await Promise.all(databases.map((database) => database.remove()));
    }
  }

  const rounds = await runRounds(options, { short: 1, long: 20 }, run);
  if (tally.secondWrites > 0)
    findings.add(`the server with the stale map acknowledged ${tally.secondWrites} requests`);
  const { violations } = findings;
  const { taken, unavailable, kills, undone, longestMoveMs } = tally;
  return {
    name: "cell-move postgres",
    lines: [
      {
        what: `a cell moved under load, the mover killed ${kills} times, ${undone} moves undone: ${taken} × 200, ${unavailable} × 503`,
        rounds,
        result: `${tally.secondWrites} writes at the old place, ≤ ${(longestMoveMs / 1_000).toFixed(1)} s for a move with its kills`,
        bar: "0 writes",
      },
      {
        what: `${tally.acknowledged} acknowledged readings`,
        rounds,
        result: `${tally.lost} lost, ${tally.twice} twice`,
        bar: "0 lost, 0 twice",
      },
    ],
    violations,
  };
}

/**
 * Moves a cell to another database under load, and kills the mover at each step. A server with a stale map gets
 * requests all the time. Nothing acknowledged may be lost or stored twice, and nobody may write at the old place after
 * the fence.
 */
export const cellMove = async (options: CellMoveOptions): ReturnType<Attack> =>
  options.store === "postgres"
    ? moveUnderLoad(options)
    : { name: `cell-move ${options.store}`, lines: [], violations: [] };
