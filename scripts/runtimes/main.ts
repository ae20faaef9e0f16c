/**
 * Runs the suites of `@device-gateway/testing` on other runtimes, a gateway in an app of Next, and some tests as `npm test` does on a newer Node:
 * `pnpm runtimes`, or `pnpm runtimes bun deno`. Installs the runtimes on the first run. A Postgres server is started, or `TEST_DATABASE_URL` names one.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { startPostgresServer } from "../../packages/store-postgres/src/testing/postgres-server.js";
import { bundleEntry } from "./bundle-entry.js";
import { expectedFailures } from "./expected-failures.js";
import { installRuntimes } from "./install-runtimes.js";
import { judgeResults } from "./judge-results.js";
import { runNext } from "./run-next.js";
import { runVitest } from "./run-vitest.js";
import { runWorkerd } from "./run-workerd.js";
import type { Results } from "./vitest-shim.js";

const timeoutMs = 240_000;

/** Runs a program that prints its results in the last line. */
function run(command: string, args: readonly string[], url: string): Promise<Results> {
  const env = { ...process.env, TEST_DATABASE_URL: url };
  return new Promise((resolve, reject) => {
    execFile(
      command,
      args,
      { env, maxBuffer: 1e8, timeout: timeoutMs },
      (error, stdout, stderr) => {
        const last = stdout.trim().split("\n").at(-1) ?? "";
        if (last.startsWith("{")) resolve(JSON.parse(last) as Results);
        else reject(new Error(`${command} printed no results.\n${stderr}`, { cause: error }));
      },
    );
  });
}

const folder = await installRuntimes();
const program = join(folder, "server.mjs");
const bin = (name: string) => join(folder, "node_modules", ".bin", name);
const runners: Readonly<Record<string, (url: string) => Promise<Results>>> = {
  bun: (url) => run(bin("bun"), ["run", program], url),
  deno: (url) => run(bin("deno"), ["run", "--allow-all", program], url),
  node: () => run(bin("node"), [program], ""),
  workerd: () => runWorkerd(folder),
  next: () => runNext(folder),
  vitest: () => runVitest(folder),
};
const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(runners);
const unknown = wanted.filter((name) => !(name in runners));
if (unknown.length > 0) throw new Error(`Unknown: ${unknown}. Use ${Object.keys(runners)}.`);

/** Runs the suites on a runtime and prints what is wrong. */
async function report(name: string, url: string): Promise<void> {
  const runOn = runners[name] as (url: string) => Promise<Results>;
  // A runtime that hangs or crashes gets a second try. A failed case does not.
  const results = await runOn(url).catch((error: unknown) => {
    process.stderr.write(`${name} is started again: ${String(error)}\n`);
    return runOn(url);
  });
  const wrong = judgeResults(results, expectedFailures[name] ?? {});
  const counts = `${results.passed.length} passed, ${results.failed.length} failed`;
  const lines = [...wrong, `${name}: ${counts}, ${wrong.length} problems`];
  process.stdout.write(`${lines.join("\n")}\n`);
  if (wrong.length > 0) process.exitCode = 1;
}

await bundleEntry("server-entry.ts", program, "node");
const given = process.env["TEST_DATABASE_URL"];
const server = given ? undefined : await startPostgresServer();
const url = server?.url ?? given ?? "";
try {
  for (const name of wanted) await report(name, url);
} finally {
  await server?.stop();
}
