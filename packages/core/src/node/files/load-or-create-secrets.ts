import { randomBytes } from "node:crypto";
import { link, open, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { generateSecrets } from "../../auth/generate-secrets.js";
import { GatewaySecrets } from "../../auth/secrets.js";
import { syncFolder } from "./make-durable-folder.js";

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function read(file: string): Promise<GatewaySecrets | null> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  const parsed = GatewaySecrets.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const reason = issue === undefined ? "" : ` (${issue.path.join(".")}: ${issue.message})`;
  throw new Error(
    `${file} does not contain a gateway's secrets${reason}. Restore the file: without it, no registered device can log in. To start a new, empty gateway, delete it together with the database.`,
  );
}

/**
 * Writes a temporary file and links it to its final name. The file thus appears whole or not at all, and never replaces
 * another.
 */
async function createDurably(file: string, content: string): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString("hex")}`;
  const handle = await open(temporary, "wx", 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
    await link(temporary, file);
    await syncFolder(dirname(file));
  } finally {
    await handle.close();
    await rm(temporary);
  }
}

/**
 * Reads a gateway's secrets from a file. At the first start it generates them and creates the file (mode 0600).
 * Processes that start at the same time get the same secrets.
 * @throws {Error} if the file exists but is not usable. It is never replaced.
 *
 * @example
 * const secrets = await loadOrCreateSecrets("data/secrets.json");
 * const gateway = await createGateway({ store, secrets, ...onNode });
 */
export async function loadOrCreateSecrets(file: string): Promise<GatewaySecrets> {
  const existing = await read(file);
  if (existing !== null) return existing;
  const fresh = generateSecrets();
  try {
    await createDurably(file, `${JSON.stringify(fresh, null, 2)}\n`);
    return fresh;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return loadOrCreateSecrets(file);
  }
}
