import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { findFreePort } from "../../../../scripts/find-free-port.js";

const { status, stdout } = spawnSync("pgbouncer", ["--version"], { encoding: "utf8" });
export const hasPgbouncer = status === 0;
const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(stdout ?? "")?.map(Number) ?? [];
/**
 * Since 1.21 pgbouncer can keep prepared statements for its clients. The tests need one that does
 * not.
 */
const keepNone = major > 1 || minor >= 21 ? "max_prepared_statements = 0\n" : "";

/** Starts pgbouncer in transaction mode, with few connections to the database of a URL. */
export async function startPgbouncer(
  databaseUrl: string,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const { hostname, port: serverPort, pathname, username } = new URL(databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), "device-gateway-bouncer-"));
  chmodSync(folder, 0o755);
  const port = await findFreePort();
  const file = join(folder, "pgbouncer.ini");
  const users = join(folder, "users.txt");
  writeFileSync(users, `"${username}" ""\n`);
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = 4
${keepNone}`,
  );
  const flags = process.getuid?.() === 0 ? ["-q", "-u", "nobody", file] : ["-q", file];
  const program = spawn("pgbouncer", flags, { stdio: "ignore" });
  const url = `postgres://${username}@127.0.0.1:${port}${pathname}`;
  await untilAnswers(url);
  return {
    url,
    async stop() {
      const exited = once(program, "exit");
      program.kill("SIGKILL");
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilAnswers(connectionString: string): Promise<void> {
  for (let turn = 0; turn < 2_000; turn++) {
    const client = new Client({ connectionString });
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error("pgbouncer does not start.");
}
