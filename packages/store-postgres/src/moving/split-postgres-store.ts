import type { Client } from "pg";
import { checkSchemaNames, defaultSchema } from "../database/schema-name.js";
import { findMove } from "./fence.js";
import {
  ask,
  checkMovableName,
  connectMover,
  toArriving,
  toFenced,
  withSource,
} from "./mover-connection.js";
import { assignCells, isDivided, rowsOfHome, toRowsOfCell } from "./split-rows.js";
import type { Target } from "./tables.js";
import {
  type MoveOutcome,
  type MoveStep,
  transfer,
  type UndoOutcome,
  undoTransfer,
} from "./transfer.js";

/** How devices are spread over cells. `splitRules` of `@device-gateway/store-cells` returns them. */
export interface SplitRules {
  /** Returns the number of a device's cell, from 0. */
  readonly cellOf: (deviceId: string) => number;
  /** Returns what the home and each cell keep as their key check. `value` is that of the store. Throws if it has cells already. */
  readonly toKeyChecks: (value: string) => {
    readonly home: string;
    readonly cells: readonly string[];
  };
  /** The follower in each cell whose cursor is the last event at home that is copied there. */
  readonly copiesFollower: string;
}

export interface SplitPostgresStoreOptions {
  /** Connection URL of the role that owns the schema, without a pooler. The home stays in this database. */
  readonly url: string;
  /** The schema of the store, and of the home afterwards: at most 50 characters. Default: `device_gateway`. */
  readonly schema?: string;
  /** The databases and schemas of the cells, in their order. */
  readonly cells: readonly { readonly url: string; readonly schema: string }[];
  readonly rules: SplitRules;
  /** The role that servers run as. It is granted the rights that they need. */
  readonly runtimeRole?: string;
  /** Called and awaited after each step. If it rejects, the split is interrupted. */
  readonly onStep?: (step: MoveStep) => Promise<void> | void;
}

type UndoSplitOptions = Pick<SplitPostgresStoreOptions, "url" | "schema" | "cells" | "rules">;

/** A place of the home or of a cell. */
interface SplitPlace {
  readonly url: string;
  readonly schema: string;
  readonly rowsOf: Target["rowsOf"];
}

/** Returns the places of the home and of the cells, in this order. Throws if they are not valid. */
function toPlaces({ url, schema = defaultSchema, cells }: UndoSplitOptions): readonly SplitPlace[] {
  checkMovableName(schema);
  if (cells.length === 0) throw new TypeError("cells: pass at least one cell.");
  for (const cell of cells) {
    checkMovableName(cell.schema);
    if (cell.schema === schema) throw new TypeError("cells: a cell needs a schema of its own.");
    const beside = cells.filter((other) => other.url === cell.url).map((other) => other.schema);
    checkSchemaNames(cell.url === url ? [schema, ...beside] : beside);
  }
  return [
    { url, schema, rowsOf: rowsOfHome },
    ...cells.map((cell, n) => ({ ...cell, rowsOf: toRowsOfCell(schema, n) })),
  ];
}

/** Opens one connection for each database. */
async function withTargets<Outcome>(
  places: readonly SplitPlace[],
  work: (targets: readonly Target[]) => Promise<Outcome>,
): Promise<Outcome> {
  const clients = new Map<string, Client>();
  try {
    for (const { url } of places) {
      if (!clients.has(url)) clients.set(url, await connectMover(url, "cells"));
    }
    return await work(
      places.map((place) => ({ ...place, client: clients.get(place.url) as Client })),
    );
  } finally {
    for (const client of clients.values()) await client.end();
  }
}

async function readKeyCheck(source: Client, schema: string): Promise<string> {
  const [found] = await ask<{ value: string }>(source, `SELECT value FROM ${schema}.key_check`);
  if (found === undefined) {
    throw new Error("No gateway has used the store yet. Do not split it: start it with cells.");
  }
  return found.value;
}

/** Refuses a store that cannot be split, before its servers can no longer use it. */
async function checkSource(source: Client, schema: string, rules: SplitRules): Promise<void> {
  if ((await findMove(source, schema)) !== null) return;
  const [found] = await ask<{ exists: boolean }>(
    source,
    "SELECT to_regclass($1) IS NOT NULL AS exists",
    [`${schema}.key_check`],
  );
  if (found?.exists === true) rules.toKeyChecks(await readKeyCheck(source, schema));
}

/** Writes what makes the targets a home and its cells. It may be repeated until the source is handed over. */
async function createMarks(source: Client, schema: string, rules: SplitRules) {
  const fenced = toFenced(schema);
  const checks = rules.toKeyChecks(await readKeyCheck(source, fenced));
  const [newest] = await ask<{ id: string }>(
    source,
    `SELECT coalesce(max(id), 0) AS id FROM ${fenced}.security_events`,
  );
  return async ({ client, schema: targetSchema }: Target, place: number) => {
    const arriving = toArriving(targetSchema);
    const value = place === 0 ? checks.home : checks.cells[place - 1];
    await ask(
      client,
      `INSERT INTO ${arriving}.key_check (id, value) VALUES (1, $1)
       ON CONFLICT (id) DO UPDATE SET value = excluded.value`,
      [value],
    );
    if (place === 0) return;
    // The cell has copies of everything until now.
    await ask(
      client,
      `INSERT INTO ${arriving}.followers (name, cursor, lease_until) VALUES ($1, $2, 0)
       ON CONFLICT (name) DO UPDATE SET cursor = excluded.cursor`,
      [rules.copiesFollower, newest?.id],
    );
  };
}

/**
 * Splits a store into a home and cells. Until that has happened, its servers answer 503. Afterwards they need the cells. If it is
 * interrupted, call it again with the same options: it continues. The rows stay in the schema `<schema>__moved`.
 * @throws {TypeError} if a URL or the name of a schema is not valid.
 * @throws {Error} if the schema does not exist, has another version or is split already, a cell exists, another process moves it,
 * the rows in a cell are not those of the source, or an interrupted call had other cells.
 * @throws {StoreUnavailableError} if a database does not answer.
 *
 * @example
 * const cells = [0, 1, 2, 3].map((n) => ({ url, schema: `cell_${n}` }));
 * await splitPostgresStore({ url, cells, rules: splitRules(cells.length) });
 */
export async function splitPostgresStore(options: SplitPostgresStoreOptions): Promise<MoveOutcome> {
  const { url, schema = defaultSchema, rules, runtimeRole, onStep } = options;
  const places = toPlaces(options);
  return withSource(url, "url", schema, (source) =>
    withTargets(places, async (targets) => {
      await checkSource(source, schema, rules);
      let finish: Awaited<ReturnType<typeof createMarks>> | undefined;
      return transfer({
        ...{ source, schema, runtimeRole, onStep, isDivided },
        async targets() {
          await assignCells(source, schema, rules.cellOf);
          return targets;
        },
        async finish(target, place) {
          finish ??= await createMarks(source, schema, rules);
          await finish(target, place);
        },
      });
    }),
  );
}

/**
 * Undoes `splitPostgresStore` if it was interrupted: servers can use the store as before. Deletes what has arrived in the
 * cells' databases that can be reached.
 * @throws {Error} if the store is not being split, or was split.
 * @throws {StoreUnavailableError} if the store's database does not answer.
 *
 * @example
 * const cells = [0, 1, 2, 3].map((n) => ({ url, schema: `cell_${n}` })); // as for `splitPostgresStore`
 * const { left } = await undoSplitPostgresStore({ url, cells, rules: splitRules(cells.length) });
 */
export async function undoSplitPostgresStore(options: UndoSplitOptions): Promise<UndoOutcome> {
  const { url, schema = defaultSchema } = options;
  const places = toPlaces(options).map((place) => ({
    schema: place.schema,
    open: () => connectMover(place.url, "cells"),
  }));
  return withSource(url, "url", schema, (source) => undoTransfer(source, schema, places));
}
