import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Creates a temporary folder and returns the path of a database that does not exist yet. */
export function createTemporaryFile(): { readonly file: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "device-gateway-"));
  return {
    file: join(folder, "gateway.db"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
