import { attacks } from "./attacks.js";
import { parseCommand } from "./command.js";
import { renderReport } from "./report.js";
import { stopStorages } from "./storage.js";

const print = (line: string) => void process.stdout.write(`${line}\n`);

async function run(): Promise<number> {
  const command = parseCommand(process.argv.slice(2), Object.keys(attacks));
  if (typeof command === "string") {
    print(command);
    return 2;
  }
  const { names, stores, ...options } = command;
  print(`seed ${options.seed}`);
  let broken = false;
  for (const name of names) {
    const attack = attacks[name];
    for (const store of attack === undefined ? [] : stores) {
      const startedAt = performance.now();
      let shownAt = startedAt;
      const progress = (done: number, of: number) => {
        const now = performance.now();
        if (now - shownAt < 5_000) return;
        shownAt = now;
        const minutes = ((now - startedAt) / 60_000).toFixed(1);
        const [sofar, all] = [done, of].map((number) => number.toLocaleString("en"));
        print(`${name} on ${store}: ${sofar} of ${all} after ${minutes} min`);
      };
      const report = await attack?.({ ...options, store, progress, print });
      if (report === undefined) continue;
      broken ||= report.violations.length > 0;
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      print(`\n${renderReport(report)}\n  in ${seconds} s\n`);
    }
  }
  return broken ? 1 : 0;
}

process.exitCode = await run().finally(stopStorages);
