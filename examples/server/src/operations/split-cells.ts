import { splitRules } from "@device-gateway/store-cells";
import {
  type MoveStep,
  type SplitPostgresStoreOptions,
  splitPostgresStore,
  undoSplitPostgresStore,
} from "@device-gateway/store-postgres";
import { Client } from "pg";
import { homeSchema, schemaOf } from "../data/open-cells.js";
import type { Settings } from "../settings/settings.js";
import { counted } from "./counted.js";
import { describeLeft, describeOutcome, describeStep } from "./describe-move.js";
import { done, misused } from "./exit-codes.js";

type Write = (line: string) => void;

/** Returns what is split, or null without settings of cells. */
function readPlan(settings: Settings): SplitPostgresStoreOptions | null {
  const { DATABASE_URL: url, DATABASE_CELLS: count, DATABASE_CELL_URLS: cellUrls } = settings;
  if (url === undefined || count === 1) return null;
  const cells = Array.from({ length: count }, (_, cell) => ({
    url: cellUrls?.get(cell) ?? url,
    schema: schemaOf(cell),
  }));
  return { url, schema: homeSchema, cells, rules: splitRules(count) };
}

/**
 * Throws if servers are connected. After the split, a server that was started before would find a home without devices, and
 * devices would register there.
 */
async function refuseServers(client: Client): Promise<void> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'device-gateway'`,
  );
  const count = rows[0]?.count ?? 0;
  if (count === 0) return;
  throw new Error(
    `Servers have ${counted(count, "connection")} to the database of DATABASE_URL. Stop all servers, and run the command again.`,
  );
}

/** Splits the database without cells into the cells of the settings. Prints the steps, the outcome and what to do next. */
export async function splitCells(
  settings: Settings,
  { name, runtimeRole }: { readonly name: string; readonly runtimeRole: string | undefined },
  write: Write,
): Promise<number> {
  const plan = readPlan(settings);
  if (plan === null) {
    write("Set DATABASE_URL, DATABASE_CELLS to 2 or more, and DATABASE_CELL_URLS.");
    return misused;
  }
  if (name === "undo-split") {
    const { left } = await undoSplitPostgresStore(plan);
    write("The split is undone. Start the servers without DATABASE_CELLS, as before.");
    for (const schemaLeft of left) write(describeLeft(schemaLeft));
    return done;
  }
  const client = new Client({ connectionString: plan.url, connectionTimeoutMillis: 5_000 });
  client.on("error", () => {});
  await client.connect();
  try {
    await refuseServers(client);
    // From the fence on, no server without cells can start. One that has started just before it is connected.
    const onStep = async (step: MoveStep) => {
      write(describeStep(step));
      if (step.step === "fenced") await refuseServers(client);
    };
    const role = runtimeRole !== undefined && { runtimeRole };
    const outcome = await splitPostgresStore({ ...plan, ...role, onStep });
    const { length } = plan.cells;
    write(
      outcome.wasMoved
        ? `${homeSchema} was split before.`
        : `Split ${homeSchema} into ${length} cells: ${describeOutcome(outcome)}`,
    );
    write(
      `Start all servers with DATABASE_CELLS=${length} and the same DATABASE_CELL_URLS, and make a backup of each database. The former rows take disk until you run DROP SCHEMA ${homeSchema}__moved CASCADE in the database of DATABASE_URL.`,
    );
    return done;
  } finally {
    await client.end();
  }
}
