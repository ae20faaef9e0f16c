import { inject, onTestFinished } from "vitest";
import { createTemporaryDatabase } from "../../../../packages/store-postgres/src/testing/temporary-database.js";
import type { AccountDatabase } from "../accounts/database/account-database.js";
import { openAccountDatabase } from "../accounts/database/open-account-database.js";
import { makeTempFolder } from "./start-test-server.js";

/** Opens an empty database of accounts for the running test. `kind` is "SQLite" or "Postgres". */
export async function openTemporaryAccounts(kind: string): Promise<AccountDatabase> {
  let DATABASE_URL: string | undefined;
  if (kind === "Postgres") {
    const temporary = await createTemporaryDatabase(inject("postgresUrl"));
    onTestFinished(temporary.remove);
    DATABASE_URL = temporary.url;
  }
  const database = await openAccountDatabase({ DATA_DIR: await makeTempFolder(), DATABASE_URL });
  onTestFinished(() => database.close());
  return database;
}
