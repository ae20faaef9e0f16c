import { type MoveStep, movePostgresStore } from "@device-gateway/store-postgres";

/**
 * Moves a cell, and kills itself after one step. Prints `done` if there was no such step.
 */
const [from = "", to = "", schema = "", kind = "", count = ""] = process.argv.slice(2);

let left = Number(count);
const onStep = ({ step }: MoveStep) => {
  process.stdout.write(`${step}\n`);
  if (step === kind && left-- === 0) process.kill(process.pid, "SIGKILL");
};
process.stdout.write("ready\n");
await movePostgresStore({ from, to, schema, onStep });
process.stdout.write("done\n");
