import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "../settings/settings.js";

/**
 * Says which file of the server is missing: gateway.db, unless the data is in Postgres, or one of the others. Returns
 * undefined if they exist. A command that opened a missing file would create it.
 */
export function describeMissingFile(
  { DATA_DIR, DATABASE_URL }: Settings,
  ...others: readonly string[]
): string | undefined {
  const names = [...(DATABASE_URL === undefined ? ["gateway.db"] : []), ...others];
  const missing = names.find((name) => !existsSync(join(DATA_DIR, name)));
  if (missing === undefined) return undefined;
  return `There is no ${missing} in ${DATA_DIR}. Set DATA_DIR to its folder.`;
}
