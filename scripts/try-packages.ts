/**
 * Packs every package and tries the tarballs in an empty project. It installs them with npm, checks the types of the
 * README's example under both module resolutions, runs the example, and runs the tests of the harness. A file that
 * uses the Postgres store is only type-checked and loaded, without a server. Needs a build and npm's registry.
 */
import { execFile, spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { findAny } from "./find-any.js";

const run = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
const packages = [
  "core",
  "adapter-express",
  "store-sqlite",
  "store-postgres",
  "store-memory",
  "device-client",
  "testing",
];
const print = (line: string) => void process.stdout.write(`${line}\n`);

interface Manifest {
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
  await run("npm", [...args, ...tarballs, ...wanted], { cwd: project });
  // Copies the compiled SQLite of this repository, because compiling takes a minute.
  const compiled = join(root, "packages/store-sqlite/node_modules/better-sqlite3/build");
  await cp(compiled, join(project, "node_modules/better-sqlite3/build"), { recursive: true });
}

async function checkTypes(project: string, resolution: "nodenext" | "bundler"): Promise<void> {
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
  await writeFile(join(project, file), JSON.stringify({ compilerOptions, include: ["src"] }));
  await run(process.execPath, ["node_modules/typescript/bin/tsc", "-p", file], { cwd: project });
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
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

const project = await mkdtemp(join(tmpdir(), "empty-project-"));
try {
  // The wire suite reads responses of every type, so its declarations may use `any`.
  const checked = packages.filter((name) => name !== "testing");
  const leaks = (
    await Promise.all(checked.map((name) => findAny(join(root, "packages", name))))
  ).flat();
  if (leaks.length > 0) throw new Error(`\`any\` in public types:\n${leaks.join("\n")}`);
  print("No `any` in public types.");
  const tarballs: string[] = [];
  for (const name of packages) tarballs.push(await pack(name, project));
  await install(project, tarballs);
  print(`Installed ${packages.join(", ")} with npm.`);
  await mkdir(join(project, "src"));
  await cp(join(root, "examples/embed/src/embed.ts"), join(project, "src/embed.ts"));
  const harness = join(root, "examples/harness/src");
  for (const file of await readdir(harness))
    await cp(join(harness, file), join(project, "src", file));
  await writeFile(join(project, "src/postgres.ts"), postgresUse);
  await checkTypes(project, "bundler");
  await checkTypes(project, "nodenext");
  print("Types are correct under bundler and nodenext.");
  await run(process.execPath, ["dist/postgres.js"], { cwd: project });
  print("The Postgres store loads.");
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
