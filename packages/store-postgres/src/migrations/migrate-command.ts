import { parseArgs } from "node:util";
import { defaultSchema } from "../database/schema-name.js";
import { migratePostgres } from "./migrate.js";

const usage = `Usage: DATABASE_URL=postgres://owner:password@host/database device-gateway-migrate [--runtime-role <role>] [--schema <name>]…

Migrates the schema "device_gateway" of the database, or the schemas that --schema names, to the current version.
--runtime-role grants the role that the servers run as the rights that they need, and no others.`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      "runtime-role": { type: "string" },
      schema: { type: "string", multiple: true, default: [defaultSchema] },
      help: { type: "boolean" },
    },
  });
  const url = process.env.DATABASE_URL;
  if (values.help || !url) {
    console.error(usage);
    return values.help ? 0 : 2;
  }
  const runtimeRole = values["runtime-role"];
  for (const schema of values.schema) {
    const { from, to } = await migratePostgres({
      url,
      schema,
      ...(runtimeRole && { runtimeRole }),
    });
    console.log(
      from === to
        ? `The schema "${schema}" is at version ${to} already.`
        : `Migrated the schema "${schema}" from version ${from} to ${to}.`,
    );
  }
  return 0;
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  return 1;
});
