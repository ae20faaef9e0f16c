/**
 * Runs `npm start`, `npm test` or the full check, and installs what they need: `node scripts/launch.mjs serve|suite|check`.
 * Further arguments are passed to the server, Vitest or the check. This file imports only Node's modules.
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

/** For each command: a script of package.json for pnpm, then optionally a Node program as a direct child. */
const commands = {
  serve: {
    script: "build:server",
    quiet: true,
    program: ["examples/server/dist/main.js", "--demo"],
  },
  suite: { script: "suite", quiet: true },
  check: { script: "check" },
};

/** Returns variables for compiling SQLite: optimised, and with the local headers of Node if they exist. */
function buildEnv() {
  const prefix = dirname(dirname(process.execPath));
  const headers = existsSync(join(prefix, "include/node/node.h"));
  return { CFLAGS: "-O2", CXXFLAGS: "-O2", ...(headers && { npm_config_nodedir: prefix }) };
}

/** Returns a command for pnpm: the one that started this script if its version fits, otherwise pnpm through npx. */
function pnpm(args) {
  const { npm_config_user_agent: agent = "", npm_execpath: path = "" } = process.env;
  const running = agent.startsWith(`pnpm/${pnpmVersion} `) && basename(path) === "pnpm.cjs";
  if (running) return { file: process.execPath, args: [path, ...args] };
  const npx = ["--yes", "--loglevel=error", "--progress=false", `pnpm@${pnpmVersion}`, ...args];
  if (!windows) return { file: "npx", args: npx };
  // On Windows npx is a batch file, which needs a shell.
  return { file: ["npx", ...npx.map((arg) => `"${arg}"`)].join(" "), args: [], shell: true };
}

/** pnpm writes this file at the end of an installation. */
const installed = () => existsSync(join(root, "node_modules/.modules.yaml"));
const installFailed =
  "The installation failed. See the error above. If no ready-made SQLite binary fits this system, install a C++ compiler, make and Python 3.";

/** The running child process, and the time of the last signal of each kind. */
let child;
const signals = new Map();

/** Forwards a signal. npm and the terminal both send one for a Ctrl-C, so repeats within half a second are ignored. */
function forward(signal) {
  const before = signals.get(signal) ?? Number.NEGATIVE_INFINITY;
  if (performance.now() - before < 500) return;
  signals.set(signal, performance.now());
  stopGroup(signal);
}

function stopGroup(signal) {
  // On Windows the console has sent the signal to all processes.
  if (windows || child?.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The process group has already exited.
  }
}

/**
 * Runs a program and resolves with its exit code. The program gets its own process group, so that only this script
 * forwards Ctrl-C to it, and to all of its children.
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
      console.error(
        `Could not start ${file}: ${error.message}. Check that npm is installed with Node.`,
      );
      resolve(1);
    });
    child.once("exit", (code, signal) => {
      if (signals.size > 0) stopGroup("SIGTERM");
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}

/** Returns the build step, or nothing if no input has changed since the last build. */
function buildSteps(run) {
  const inputs = describeInputs(root);
  if (installed() && isBuiltFrom(root, inputs)) return [];
  return [{ ...pnpm(run), done: () => writeStamp(root, inputs) }];
}

async function main([name = "", ...rest]) {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    console.error(
      `This program needs Node 20.19 or later, but runs on ${process.version}. Install a current version from https://nodejs.org.`,
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
      "First run: installing dependencies and compiling SQLite. This takes about a minute.",
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
// When the terminal closes, the server finishes its responses before it exits.
process.on("SIGHUP", () => forward("SIGTERM"));

process.exitCode = await main(process.argv.slice(2));
