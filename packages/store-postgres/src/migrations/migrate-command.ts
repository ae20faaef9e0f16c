import { parseArgs } from "node:util";
import { migratePostgres } from "./migrate.js";

const usage = `Usage: DATABASE_URL=postgres://owner:password@host/database device-gateway-migrate [--runtime-role <role>]

Migrates the schema "device_gateway" of the database to the current version. --runtime-role grants the
role that the servers run as the rights that they need, and no others.`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { "runtime-role": { type: "string" }, help: { type: "boolean" } },
  });
  const url = process.env.DATABASE_URL;
  if (values.help || !url) {
    console.error(usage);
    return values.help ? 0 : 2;
  }
  const runtimeRole = values["runtime-role"];
  const { from, to } = await migratePostgres({ url, ...(runtimeRole && { runtimeRole }) });
  console.log(
    from === to
      ? `The schema is at version ${to} already.`
      : `Migrated the schema from version ${from} to ${to}.`,
  );
  return 0;
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  return 1;
});
