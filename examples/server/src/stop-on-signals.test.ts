import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { stopOnSignals } from "./stop-on-signals.js";

function start(stop: () => Promise<void>) {
  const source = new EventEmitter();
  const codes: number[] = [];
  let time = 0;
  stopOnSignals({ source, stop, exit: (code) => codes.push(code), now: () => time });
  const signal = (name: string, at: number) => {
    time = at;
    source.emit(name);
  };
  return { signal, codes };
}

const never = () => new Promise<void>(() => {});
const turn = () => new Promise((resolve) => setImmediate(resolve));

it.each(["SIGINT", "SIGTERM", "SIGHUP"])("stops on %s and exits with 0", async (name) => {
  const { signal, codes } = start(async () => {});
  signal(name, 0);
  await turn();
  expect(codes).toEqual([0]);
});

it("exits with 1 if stopping fails", async () => {
  const { signal, codes } = start(() => Promise.reject(new Error("no")));
  signal("SIGTERM", 0);
  await turn();
  expect(codes).toEqual([1]);
});

it("ignores the echo of a Ctrl-C, and exits at once on a second one", () => {
  const { signal, codes } = start(never);
  signal("SIGINT", 0);
  signal("SIGINT", 3);
  expect(codes).toEqual([]);
  signal("SIGINT", 2_000);
  expect(codes).toEqual([130]);
});
