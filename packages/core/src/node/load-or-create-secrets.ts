import { randomBytes } from "node:crypto";
import { link, open, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { GatewaySecrets, generateSecrets } from "../auth/secrets.js";
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
    `${file} does not hold a gateway's secrets${reason}. Put the right file back: without it no registered device can log in. For a new, empty gateway delete it together with the database.`,
  );
}

/** Writes beside the file and links it into place: whole or not at all, and never over another. */
async function createDurably(file: string, content: string): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  const handle = await open(draft, "wx", 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
    await link(draft, file);
    await syncFolder(dirname(file));
  } finally {
    await handle.close();
    await rm(draft);
  }
}

/**
 * Reads a gateway's secrets from a file, or makes them and the file (mode 0600) at the first
 * start. Processes that start together end up with the same ones.
 * @throws {Error} when the file is there but not usable; it is never replaced.
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
