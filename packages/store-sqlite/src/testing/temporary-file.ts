import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Names a database that isn't there yet, in a folder of its own. */
export function createTemporaryFile(): { readonly file: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "device-gateway-"));
  return {
    file: join(folder, "gateway.db"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
