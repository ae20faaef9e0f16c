/**
 * `npm start`, `npm test` and the full check, from nothing: `node scripts/launch.mjs serve|suite|check`.
 * Needs Node alone. Further arguments go to the server, to Vitest, to the check.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describeInputs, isBuiltFrom, writeStamp } from "./build-stamp.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const pnpmVersion = "10.34.9";
const windows = process.platform === "win32";

/** A script of package.json that pnpm runs, then perhaps a program of Node, straight under us. */
const commands = {
  serve: {
    script: "build:server",
    quiet: true,
    program: ["examples/server/dist/main.js", "--demo"],
  },
  suite: { script: "suite", quiet: true },
  check: { script: "check" },
};

/** Compiling SQLite: optimised, and without downloading Node's headers where they are at hand. */
function buildEnv() {
  const prefix = dirname(dirname(process.execPath));
  const headers = existsSync(join(prefix, "include/node/node.h"));
  return { CFLAGS: "-O2", CXXFLAGS: "-O2", ...(headers && { npm_config_nodedir: prefix }) };
}

/** The pnpm that runs us, when it is the right one; else npx fetches it. */
function pnpm(args) {
  const { npm_config_user_agent: agent = "", npm_execpath: path = "" } = process.env;
  const running = agent.startsWith(`pnpm/${pnpmVersion} `) && basename(path) === "pnpm.cjs";
  if (running) return { file: process.execPath, args: [path, ...args] };
  const npx = ["--yes", "--loglevel=error", "--progress=false", `pnpm@${pnpmVersion}`, ...args];
  if (!windows) return { file: "npx", args: npx };
  // npx is a batch file there, which only a shell starts.
  return { file: ["npx", ...npx.map((arg) => `"${arg}"`)].join(" "), args: [], shell: true };
}

/** pnpm writes this file when it is done. */
const installed = () => existsSync(join(root, "node_modules/.modules.yaml"));
const installFailed =
  "Installing did not finish; why is told above. Where no ready-made SQLite fits, a C++ compiler, make and Python 3 must be there.";

/** What runs now, and the signals that have come: each with its time. */
let child;
const signals = new Map();

/** npm and the terminal both tell us of one Ctrl-C, so a second one counts only half a second later. */
function forward(signal) {
  const before = signals.get(signal) ?? Number.NEGATIVE_INFINITY;
  if (performance.now() - before < 500) return;
  signals.set(signal, performance.now());
  stopGroup(signal);
}

function stopGroup(signal) {
  // The console of Windows has told everyone itself.
  if (windows || child?.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // All of it is gone already.
  }
}

/**
 * Runs a program and resolves with its exit code. It gets a process group of its own, so that
 * Ctrl-C reaches it through us alone, and what reaches it reaches all that it started.
 */
function start({ file, args, shell = false }, env) {
  child = spawn(file, args, {
    cwd: root,
    env,
    shell,
    detached: !windows,
    stdio: ["ignore", "inherit", "inherit"],
  });
  return new Promise((resolve) => {
    child.once("error", (error) => {
      console.error(`Could not start ${file}: ${error.message}. Is npm installed beside Node?`);
      resolve(1);
    });
    child.once("exit", (code, signal) => {
      if (signals.size > 0) stopGroup("SIGTERM");
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}

/** Building takes seconds, so it is skipped when nothing has changed since the last build. */
function buildSteps(run) {
  const inputs = describeInputs(root);
  if (installed() && isBuiltFrom(root, inputs)) return [];
  return [{ ...pnpm(run), done: () => writeStamp(root, inputs) }];
}

async function main([name = "", ...rest]) {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    console.error(
      `This needs Node 20.19 or later, and ${process.version} runs it. Install a current one from https://nodejs.org and try again.`,
    );
    return 1;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    console.error(`Usage: node scripts/launch.mjs ${Object.keys(commands).join("|")} [arguments]`);
    return 2;
  }
  const env = { ...buildEnv(), ...process.env };
  const { script, quiet, program } = command;
  const run = [...(quiet ? ["--reporter=silent"] : []), "run", script];
  const steps = program
    ? [...buildSteps(run), { file: process.execPath, args: [...program, ...rest] }]
    : [pnpm([...run, ...rest])];
  if (!installed()) {
    console.log(
      "First run: installing dependencies and compiling SQLite, which takes about a minute.",
    );
  }
  for (const step of steps) {
    const code = await start(step, env);
    if (signals.size > 0) return code;
    if (code !== 0) {
      if (!installed()) console.error(installFailed);
      return code;
    }
    step.done?.();
  }
  return 0;
}

for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => forward(signal));
// A closed terminal is no reason to cut answers off.
process.on("SIGHUP", () => forward("SIGTERM"));

process.exitCode = await main(process.argv.slice(2));
