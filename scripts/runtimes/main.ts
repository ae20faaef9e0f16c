/**
 * Runs the suites of `@device-gateway/testing` on other runtimes: `pnpm runtimes`, or `pnpm runtimes bun deno`. Installs
 * the runtimes on the first run. A Postgres server is started, or `TEST_DATABASE_URL` names one.
 */
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { startPostgresServer } from "../../packages/store-postgres/src/testing/postgres-server.js";
import { installRuntimes } from "./install-runtimes.js";
import type { Results } from "./vitest-shim.js";

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** Bundles an entry with the sources of the packages, and with `vitest` replaced. */
async function bundle(entry: string, outfile: string, platform: "node" | "browser") {
  const isNode = platform === "node";
  await build({
    entryPoints: [here(entry)],
    outfile,
    platform,
    bundle: true,
    format: "esm",
    target: "es2022",
    alias: { vitest: here("vitest-shim.ts") },
    tsconfig: here("../../tsconfig.base.json"),
    external: ["better-sqlite3", "pg-native", ...(isNode ? [] : ["node:*"])],
    logLevel: "error",
    // Packages in CommonJS require modules of Node.
    ...(isNode && {
      banner: {
        js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
      },
    }),
  });
}

/** Runs a program that prints its results in the last line. */
function run(command: string, args: readonly string[], url: string): Promise<Results> {
  const env = { ...process.env, TEST_DATABASE_URL: url };
  return new Promise((resolve, reject) => {
    execFile(command, args, { env, maxBuffer: 1e8, timeout: 600_000 }, (error, stdout, stderr) => {
      const last = stdout.trim().split("\n").at(-1) ?? "";
      if (last.startsWith("{")) resolve(JSON.parse(last) as Results);
      else reject(new Error(`${command} printed no results.\n${stderr}`, { cause: error }));
    });
  });
}

interface Miniflare {
  dispatchFetch(url: string, init?: RequestInit): Promise<Response>;
  dispose(): Promise<void>;
}

/** Runs the wire suite in workerd, then checks that a gateway lives across requests. */
async function runWorkerd(folder: string): Promise<Results> {
  const scriptPath = join(folder, "worker.mjs");
  await bundle("worker-entry.ts", scriptPath, "browser");
  const require = createRequire(join(folder, "package.json"));
  const { Miniflare } = (await import(pathToFileURL(require.resolve("miniflare")).href)) as {
    Miniflare: new (options: object) => Miniflare;
  };
  const miniflare = new Miniflare({
    modules: true,
    scriptPath,
    compatibilityDate: "2026-07-01",
    compatibilityFlags: ["nodejs_compat"],
  });
  try {
    const results = (await (
      await miniflare.dispatchFetch("http://worker.test/suite")
    ).json()) as Results;
    const post = async (path: string, body: object, token = "") => {
      const response = await miniflare.dispatchFetch(`http://worker.test/api/v1/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
      });
      return (await response.json()) as { token?: string; accepted?: number };
    };
    const device = { deviceId: "gw-1", hardwareId: "esp32", firmwareVersion: "1.0.0" };
    const { token } = await post("device/register", { ...device, claimCode: "ABCD-EFGH" });
    const { accepted } = await post("telemetry", { soc: 64 }, token);
    if (accepted === 1) return { ...results, passed: results.passed + 1 };
    return {
      ...results,
      failed: [...results.failed, "A second request does not find the device."],
    };
  } finally {
    await miniflare.dispose();
  }
}

const folder = await installRuntimes();
const program = join(folder, "server.mjs");
const bin = (name: string) => join(folder, "node_modules", ".bin", name);
const runners: Readonly<Record<string, (url: string) => Promise<Results>>> = {
  bun: (url) => run(bin("bun"), ["run", program], url),
  deno: (url) => run(bin("deno"), ["run", "--allow-all", program], url),
  node: () => run(bin("node"), [program], ""),
  workerd: () => runWorkerd(folder),
};
const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(runners);
const unknown = wanted.filter((name) => !(name in runners));
if (unknown.length > 0) throw new Error(`Unknown: ${unknown}. Use ${Object.keys(runners)}.`);

await bundle("server-entry.ts", program, "node");
const given = process.env["TEST_DATABASE_URL"];
const server = given ? undefined : await startPostgresServer();
try {
  for (const name of wanted) {
    const runOn = runners[name] as (url: string) => Promise<Results>;
    const { passed, failed } = await runOn(server?.url ?? given ?? "");
    process.stdout.write(
      `${[...failed, `${name}: ${passed} passed, ${failed.length} failed`].join("\n")}\n`,
    );
    if (failed.length > 0 || passed === 0) process.exitCode = 1;
  }
} finally {
  await server?.stop();
}
