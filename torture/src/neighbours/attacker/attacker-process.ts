/** An attacker in its own process. Follows the orders in a file until SIGTERM, then prints its tally. */
import { readFileSync } from "node:fs";
import { startAttacker } from "./attacker.js";
import type { Orders } from "./orders.js";

const orders = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as Orders;
const attacking = startAttacker(orders);
// An attacker that has sent everything keeps its connections open.
const staying = setInterval(() => {}, 60_000);
process.on("SIGTERM", () => {
  clearInterval(staying);
  process.stdout.write(`${JSON.stringify(attacking.stop())}\n`, () => process.exit(0));
});
void attacking.spent.then(() => process.stdout.write("spent\n"));
process.stdout.write("ready\n");
