import { spawn } from "node:child_process";
import { once } from "node:events";
import { onCore, serverCore } from "./machine/cores.js";
import type { Usage } from "./servers/serve.js";

/** A program under measurement, on its own core. */
export interface ServerProcess {
  readonly port: number;
  ask<Answer>(question: string, argument?: unknown): Promise<Answer>;
  usage(): Promise<Usage>;
  end(): Promise<void>;
}

interface Answered {
  readonly port?: number;
  readonly id?: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** Starts a program and waits until it listens. `options` is its argument as JSON. */
export async function startServer(
  program: string,
  options: unknown = {},
  nodeOptions: readonly string[] = [],
  core = serverCore,
): Promise<ServerProcess> {
  const args = [...nodeOptions, program, JSON.stringify(options)];
  const { command, args: all } = onCore(core, process.execPath, args);
  const child = spawn(command, all, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const exited = once(child, "exit");
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let asked = 0;

  child.on("exit", (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`${program} ended with ${code}.`));
  });
  const listening = new Promise<number>((resolve, reject) => {
    child.on("exit", () => reject(new Error(`${program} ended before it listened.`)));
    child.on("message", ({ port, id, value, error }: Answered) => {
      if (port !== undefined) resolve(port);
      if (id === undefined) return;
      const call = waiting.get(id);
      waiting.delete(id);
      if (error === undefined) call?.resolve(value);
      else call?.reject(new Error(error));
    });
  });

  const ask = <Answer>(question: string, argument?: unknown) =>
    new Promise<Answer>((resolve, reject) => {
      const id = asked++;
      waiting.set(id, { resolve: (value) => resolve(value as Answer), reject });
      child.send({ id, question, argument });
    });
  return {
    port: await listening,
    ask,
    usage: () => ask<Usage>("usage"),
    async end() {
      if (child.exitCode === null && child.connected) child.disconnect();
      await exited;
    },
  };
}
