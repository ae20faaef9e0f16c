import { parseArgs } from "node:util";
import {
  type MoveOutcome,
  type MoveStep,
  movePostgresStore,
  undoMovePostgresStore,
} from "@device-gateway/store-postgres";
import type { Settings } from "../settings/settings.js";
import { done, failed, misused } from "./exit-codes.js";

const usage = `Usage: CELL_FROM_URL=postgres://… CELL_TO_URL=postgres://… node examples/server/dist/main.js cells <action>
  move <schema> [--runtime-role <role>]   moves a cell to another database; run it again if it was interrupted
  undo <schema>                           undoes an interrupted move
Servers may be running: until the cell has moved, they answer its devices with 503. The URLs are those of the owner of the
schema and must not lead to a pooler. The runtime role of the other database is granted what servers need.`;

const digits = (number: number, most: number) =>
  number.toLocaleString("en", { maximumFractionDigits: most });

const describeStep = (step: MoveStep): string =>
  [step.step, "schema" in step && step.schema, "table" in step && step.table]
    .filter((part) => part !== false)
    .join(" ");

/** Says how much was moved in which time. */
function describeOutcome({ rows, records, bytes, ms }: MoveOutcome): string {
  const [minutes, size] = [ms / 60_000, bytes / 1e9];
  return `${digits(rows, 0)} rows, of which ${digits(records, 0)} of telemetry, from ${digits(size, 3)} GB on the disk, in ${digits(minutes, 2)} minutes: ${digits(minutes / size, 2)} minutes per GB, ${digits((minutes / records) * 1e7, 2)} minutes per 10 million records.`;
}

interface Action {
  readonly name: "move" | "undo";
  readonly schema: string;
  readonly runtimeRole: string | undefined;
}

function parse(args: readonly string[]): Action | undefined {
  const options = { "runtime-role": { type: "string" } } as const;
  const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [name, schema, ...others] = positionals;
  if ((name !== "move" && name !== "undo") || schema === undefined || others.length > 0) return;
  return { name, schema, runtimeRole: values["runtime-role"] };
}

/** Moves a cell to another database. Prints the steps and the outcome, and returns the exit code. */
export async function cells(
  _settings: Settings,
  args: readonly string[],
  write: (line: string) => void,
  { CELL_FROM_URL: from, CELL_TO_URL: to } = process.env,
): Promise<number> {
  let action: Action | undefined;
  try {
    action = parse(args);
  } catch (error) {
    write((error as Error).message);
  }
  if (action === undefined || !from || !to) {
    write(usage);
    return misused;
  }
  const { name, schema, runtimeRole } = action;
  try {
    if (name === "undo") {
      await undoMovePostgresStore({ from, to, schema });
      write(`The move of ${schema} is undone. Its servers work as before.`);
      return done;
    }
    const onStep = (step: MoveStep) => write(describeStep(step));
    const role = runtimeRole !== undefined && { runtimeRole };
    const outcome = await movePostgresStore({ from, to, schema, onStep, ...role });
    if (outcome.wasMoved) {
      write(`${schema} was moved before.`);
      return done;
    }
    write(`Moved ${schema}: ${describeOutcome(outcome)}`);
    write(
      `Restart the servers with the new URL of this cell. The former database keeps the rows until you run DROP SCHEMA ${schema}__moved CASCADE there.`,
    );
    return done;
  } catch (error) {
    write((error as Error).message);
    return failed;
  }
}
