import type { CredentialStore } from "../device/credential-store.js";
import { readFileIfAny } from "./read-file-if-any.js";
import { writeFileAtomically } from "./write-file-atomically.js";

function parse(text: string): { deviceSecret: string } | null {
  try {
    const { deviceSecret } = JSON.parse(text) as { deviceSecret?: unknown };
    return typeof deviceSecret === "string" ? { deviceSecret } : null;
  } catch {
    return null;
  }
}

/**
 * Creates a credential store in a file that only the current user can read. Its folder must exist.
 * @example
 * const credentials = createFileCredentials("gw-1.json");
 * const device = createDevice({ baseUrl, identity, credentials });
 */
export function createFileCredentials(file: string): CredentialStore {
  return {
    async load() {
      const content = await readFileIfAny(file);
      return content === null ? null : parse(content.toString("utf8"));
    },
    save: ({ deviceSecret }) =>
      writeFileAtomically(file, `${JSON.stringify({ deviceSecret }, null, 2)}\n`),
  };
}
