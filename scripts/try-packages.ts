/**
 * Checks that the public types contain no `any` and that every public function has an example. Then packs every
 * package and tries the tarballs in an empty project. It installs them with npm, checks the types of the
 * README's example under both module resolutions, runs the example, and runs the tests of the harness. A file that
 * uses the Postgres store is only type-checked and loaded, without a server. A CommonJS project requires every entry
 * point. The project has the lowest zod that the packages accept, and a second zod whose schemas it passes as options.
 * Needs a build and npm's registry.
 */
import { execFile, spawn } from "node:child_process";
import { access, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { bundleExport } from "./bundle-export.js";
import { findAny } from "./find-any.js";
import { findBrokenLinks } from "./find-broken-links.js";
import { findFreePort } from "./find-free-port.js";
import { findMissingExamples } from "./find-missing-examples.js";

const run = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
const packages = [
  "core",
  "adapter-express",
  "store-sqlite",
  "store-postgres",
  "store-memory",
  "store-cells",
  "alerts",
  "telemetry-sink",
  "webhooks",
  "device-client",
  "testing",
];
const print = (line: string) => void process.stdout.write(`${line}\n`);

/** The lower bound of the packages' range, and a zod 4 outside of it. */
const zods = ["zod@4.1.0", "second-zod@npm:zod@4.0.17"];

interface Manifest {
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(root, folder, "package.json"), "utf8")) as Manifest;
}

/** Packs a package with pnpm, which replaces `workspace:*` with versions as it does when it publishes. */
async function pack(name: string, into: string): Promise<string> {
  const running = process.env["npm_execpath"] ?? "";
  const [command, ...before] =
    basename(running) === "pnpm.cjs"
      ? [process.execPath, running]
      : ["npx", "--yes", "--loglevel=error", "pnpm@10.34.9"];
  const { stdout } = await run(command, [...before, "pack", "--pack-destination", into, "--json"], {
    cwd: join(root, "packages", name),
  });
  const [, filename = ""] = /"filename": *"([^"]+\.tgz)"/.exec(stdout) ?? [];
  return resolve(into, filename);
}

async function install(project: string, tarballs: readonly string[]): Promise<void> {
  const manifests = await Promise.all(
    [".", "examples/embed", "packages/store-postgres"].map(readManifest),
  );
  const versions: Record<string, string> = {};
  for (const { dependencies, devDependencies } of manifests) {
    Object.assign(versions, dependencies, devDependencies);
  }
  const peers = ["express", "better-sqlite3", "pg"];
  const tools = ["typescript", "vitest", "@types/express", "@types/node", "@types/pg"];
  const wanted = [...peers, ...tools].map((name) => `${name}@${versions[name]}`);
  const manifest = { name: "empty-project", private: true, type: "module" };
  await writeFile(join(project, "package.json"), JSON.stringify(manifest));
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  await run("npm", [...args, ...tarballs, ...wanted, ...zods], { cwd: project });
  // Copies the compiled SQLite of this repository, because compiling takes a minute.
  const compiled = join(root, "packages/store-sqlite/node_modules/better-sqlite3/build");
  await cp(compiled, join(project, "node_modules/better-sqlite3/build"), { recursive: true });
}

/** Compiles a folder. Returns how many types the compiler instantiated, which says how long it takes on any machine. */
async function checkTypes(folder: string, resolution: "nodenext" | "bundler"): Promise<number> {
  const compilerOptions = {
    strict: true,
    target: "ES2023",
    module: resolution === "nodenext" ? "nodenext" : "esnext",
    moduleResolution: resolution,
    types: ["node"],
    // Also checks the types of the packages themselves.
    skipLibCheck: false,
    outDir: "dist",
    rootDir: "src",
  };
  const file = `tsconfig.${resolution}.json`;
  await writeFile(join(folder, file), JSON.stringify({ compilerOptions, include: ["src"] }));
  const tsc = join(project, "node_modules/typescript/bin/tsc");
  const args = [tsc, "-p", file, "--extendedDiagnostics"];
  const { stdout } = await run(process.execPath, args, { cwd: folder });
  return Number(/Instantiations: +(\d+)/.exec(stdout)?.[1]);
}

async function runExample(project: string): Promise<void> {
  const port = await findFreePort();
  const env = { ...process.env, PORT: String(port) };
  const child = spawn(process.execPath, ["dist/embed.js"], { cwd: project, env, stdio: "inherit" });
  try {
    for (let tries = 0; ; tries++) {
      const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
      if (response?.ok) return;
      if (tries > 100 || child.exitCode !== null)
        throw new Error("The example did not become ready within 20 seconds.");
      await wait(200);
    }
  } finally {
    child.kill();
  }
}

/** A program with the Postgres store. Its types are checked, and loading it opens no connection. */
const postgresUse = `
import { createGateway, type Gateway } from "@device-gateway/core";
import { loadOrCreateSecrets } from "@device-gateway/core/node";
import { migratePostgres, openPostgresStore, type PostgresStore } from "@device-gateway/store-postgres";

export async function open(url: string): Promise<Gateway> {
  await migratePostgres({ url, runtimeRole: "gateway" });
  const store: PostgresStore = await openPostgresStore({ url, poolSize: 2 });
  return createGateway({ store, secrets: await loadOrCreateSecrets("gateway.secrets.json") });
}
`;

/** A program whose settings are declared with another zod than the packages use. */
const zodUse = `
import { createGateway, generateSecrets } from "@device-gateway/core";
import { createMemoryStore } from "@device-gateway/store-memory";
import { z } from "second-zod";

const settings = z.object({ site: z.object({ zone: z.string(), floor: z.int() }).optional() });
const config = { settings, defaults: { site: { zone: "eu", floor: 1 } } };
await createGateway({ store: createMemoryStore(), secrets: generateSecrets(), config });
`;

/** Every entry point of the packages that code imports. */
async function listEntryPoints(): Promise<string[]> {
  const listed = packages.map(async (name) => {
    const { exports = {} } = await readManifest(`packages/${name}`);
    const entries = Object.keys(exports).filter((entry) => !entry.endsWith(".json"));
    return entries.map((entry) => `@device-gateway/${name}${entry.slice(1)}`);
  });
  // The suites of `testing` need Vitest, which cannot be required.
  return (await Promise.all(listed)).flat().filter((entry) => entry !== "@device-gateway/testing");
}

/** Compiles a CommonJS project that uses every entry point, and runs it. */
async function tryCommonJs(): Promise<void> {
  const folder = join(project, "commonjs");
  await mkdir(join(folder, "src"), { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "commonjs" }));
  const imports = (await listEntryPoints()).map(
    (entry, i) => `import * as m${i} from "${entry}";
if (Object.keys(m${i}).length === 0) throw new Error("${entry} is empty.");`,
  );
  await writeFile(join(folder, "src/main.ts"), imports.join("\n"));
  await checkTypes(folder, "nodenext");
  const code = await readFile(join(folder, "dist/main.js"), "utf8");
  if (!code.includes("require(")) throw new Error("The project was not compiled to CommonJS.");
  await run(process.execPath, ["dist/main.js"], { cwd: folder });
}

const project = await mkdtemp(join(tmpdir(), "empty-project-"));
try {
  // The wire suite reads responses of every type, so its declarations may use `any`.
  const checked = packages.filter((name) => name !== "testing");
  const leaks = (
    await Promise.all(checked.map((name) => findAny(join(root, "packages", name))))
  ).flat();
  if (leaks.length > 0) throw new Error(`\`any\` in public types:\n${leaks.join("\n")}`);
  print("No `any` in public types.");
  const folders = packages.map((name) => join(root, "packages", name));
  const missing = (await Promise.all(folders.map(findMissingExamples))).flat();
  if (missing.length > 0) throw new Error(missing.join("\n"));
  print("Every public function has an example.");
  const tarballs: string[] = [];
  for (const name of packages) tarballs.push(await pack(name, project));
  await install(project, tarballs);
  print(`Installed ${packages.join(", ")} with npm.`);
  const installed = packages.map((name) => join(project, "node_modules/@device-gateway", name));
  const broken = (await Promise.all(installed.map(findBrokenLinks))).flat();
  if (broken.length > 0) throw new Error(`Links that lead nowhere:\n${broken.join("\n")}`);
  for (const folder of installed) await access(join(folder, "dist/index.js.map"));
  print("The links of the READMEs work, and the packages have source maps.");
  const bytes = await bundleExport(project, "generateSecrets", "@device-gateway/core");
  if (bytes > 2_000) {
    throw new Error(`generateSecrets alone is ${bytes} bytes. Find what its modules import.`);
  }
  print(`A bundler needs ${bytes} bytes for generateSecrets.`);
  await mkdir(join(project, "src"));
  await cp(join(root, "examples/embed/src/embed.ts"), join(project, "src/embed.ts"));
  const harness = join(root, "examples/harness/src");
  for (const file of await readdir(harness))
    await cp(join(harness, file), join(project, "src", file));
  await writeFile(join(project, "src/postgres.ts"), postgresUse);
  await writeFile(join(project, "src/zod.ts"), zodUse);
  const instantiated = await checkTypes(project, "bundler");
  if (!(instantiated < 1_000_000)) throw new Error(`Types are slow: ${instantiated} instantiated.`);
  await checkTypes(project, "nodenext");
  print(`Types are correct under bundler and nodenext, with ${instantiated} instantiated.`);
  await run(process.execPath, ["dist/postgres.js"], { cwd: project });
  print("The Postgres store loads.");
  await run(process.execPath, ["dist/zod.js"], { cwd: project });
  print("A schema of another zod is accepted.");
  await tryCommonJs();
  print("A CommonJS project requires every entry point.");
  await runExample(project);
  print("The README's example runs.");
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--dir", "src", "--testTimeout=60000"];
  await run(process.execPath, vitest, { cwd: project });
  print("The tests of the harness pass.");
} catch (fault) {
  const { stdout = "", stderr = "" } = fault as { stdout?: string; stderr?: string };
  print([stdout, stderr, String(fault)].join("\n"));
  process.exitCode = 1;
} finally {
  await rm(project, { recursive: true, force: true });
}
