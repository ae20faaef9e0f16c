import { mkdir, open } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** Makes the names in a folder durable (fsync). */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}

/**
 * Creates a folder (mode 0700) and its missing parents durably, so that a power cut cannot undo their creation and
 * lose their content. Leaves existing folders unchanged.
 *
 * @example
 * await makeDurableFolder("data");
 * const store = await openSqliteStore({ file: "data/gateway.db" });
 */
export async function makeDurableFolder(folder: string): Promise<void> {
  const topmost = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (topmost === undefined) return;
  const above = dirname(resolve(topmost));
  for (let made = resolve(folder); made !== above; made = dirname(made)) {
    await syncFolder(dirname(made));
  }
}
