import { parseArgs } from "node:util";
import {
  type MoveStep,
  movePostgresStore,
  undoMovePostgresStore,
} from "@device-gateway/store-postgres";
import type { Settings } from "../settings/settings.js";
import { describeLeft, describeOutcome, describeStep } from "./describe-move.js";
import { done, failed, misused } from "./exit-codes.js";
import { splitCells } from "./split-cells.js";

const usage = `Usage: node examples/server/dist/main.js cells <action>
  move <schema> [--runtime-role <role>]   moves a cell to another database; run it again if it was interrupted
  undo <schema>                           undoes an interrupted move
  split [--runtime-role <role>]           splits a database without cells into cells; run it again if it was interrupted
  undo-split                              undoes an interrupted split
move and undo need CELL_FROM_URL=postgres://… and CELL_TO_URL=postgres://…. Servers may be running: until the cell has moved,
they answer its devices with 503. split and undo-split need DATABASE_URL, DATABASE_CELLS and DATABASE_CELL_URLS as the servers
will have them. Stop all servers first. The URLs are those of the owner of the schema and must not lead to a pooler. The
runtime role is granted what servers need, in the other database or in all of them.`;

interface Action {
  readonly name: "move" | "undo" | "split" | "undo-split";
  /** Empty for a split. */
  readonly schema: string;
  readonly runtimeRole: string | undefined;
}

function parse(args: readonly string[]): Action | undefined {
  const options = { "runtime-role": { type: "string" } } as const;
  const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [name, schema = "", ...others] = positionals;
  const isMove = name === "move" || name === "undo";
  const isSplit = name === "split" || name === "undo-split";
  if ((!isMove && !isSplit) || isMove !== (schema !== "") || others.length > 0) return;
  return { name, schema, runtimeRole: values["runtime-role"] };
}

type Write = (line: string) => void;

/** Moves a cell, or undoes that. */
async function moveCell(
  { name, schema, runtimeRole }: Action,
  { from, to }: { readonly from: string; readonly to: string },
  write: Write,
): Promise<void> {
  if (name === "undo") {
    const { left } = await undoMovePostgresStore({ from, to, schema });
    write(`The move of ${schema} is undone. Its servers work as before.`);
    for (const schemaLeft of left) write(describeLeft(schemaLeft));
    return;
  }
  const onStep = (step: MoveStep) => write(describeStep(step));
  const role = runtimeRole !== undefined && { runtimeRole };
  const outcome = await movePostgresStore({ from, to, schema, onStep, ...role });
  if (outcome.wasMoved) {
    write(`${schema} was moved before.`);
    return;
  }
  write(`Moved ${schema}: ${describeOutcome(outcome)}`);
  write(
    `Restart the servers with the new URL of this cell. The former database keeps the rows until you run DROP SCHEMA ${schema}__moved CASCADE there.`,
  );
}

/** Moves a cell to another database, or splits a database. Prints the steps and the outcome, and returns the exit code. */
export async function cells(
  settings: Settings,
  args: readonly string[],
  write: Write,
  { CELL_FROM_URL: from, CELL_TO_URL: to } = process.env,
): Promise<number> {
  let action: Action | undefined;
  try {
    action = parse(args);
  } catch (error) {
    write((error as Error).message);
  }
  const isMove = action?.schema !== "";
  if (action === undefined || (isMove && (!from || !to))) {
    write(usage);
    return misused;
  }
  try {
    if (!isMove) return await splitCells(settings, action, write);
    await moveCell(action, { from: from ?? "", to: to ?? "" }, write);
    return done;
  } catch (error) {
    write((error as Error).message);
    return failed;
  }
}
