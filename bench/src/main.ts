import { parseArgs } from "node:util";
import { runDownloadsBench } from "./downloads-bench.js";
import { runSpeedBench, speedCases, speedCommands } from "./speed/speed-bench.js";
import { type StoreKind, storeKinds } from "./speed/store-place.js";
import { runTurnsBench } from "./turns-bench.js";

const usage = `pnpm bench downloads [--quick] [--markdown]
pnpm bench turns [--days 365] [--repeats 5] [--markdown]
pnpm bench speed [--store sqlite] [--repeats 5] [--seconds 3] [--devices 20000] [--records 10000000]
  [--fleet 1000000] [--minutes 20] [--markdown]
pnpm bench p1 [p2 …], with the same options: runs single cases
pnpm bench profile | profile-express | profile-config: shows where the time of P1 or P7 goes
  cases: ${Object.keys(speedCases).join(", ")}`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    markdown: { type: "boolean", default: false },
    repeats: { type: "string", default: "5" },
    seconds: { type: "string", default: "3" },
    devices: { type: "string", default: "20000" },
    records: { type: "string", default: "10000000" },
    fleet: { type: "string", default: "1000000" },
    minutes: { type: "string", default: "20" },
    days: { type: "string", default: "365" },
    store: { type: "string", default: "sqlite" },
  },
});
const { markdown, store } = values;
const databaseUrl = process.env["TEST_DATABASE_URL"];
const isKind = (name: string): name is StoreKind => storeKinds.includes(name);
const print = console.log;
const cases = positionals[0] === "speed" ? Object.keys(speedCases) : positionals;

if (positionals[0] === "downloads") {
  await runDownloadsBench({ quick: values.quick, markdown, print });
} else if (positionals[0] === "turns") {
  const [days, repeats] = [Number(values.days), Number(values.repeats)];
  await runTurnsBench({ days, repeats, markdown, print });
} else if (cases.length > 0 && cases.every((name) => name in speedCommands) && isKind(store)) {
  await runSpeedBench({
    cases,
    kind: store,
    ...(databaseUrl && { databaseUrl }),
    markdown,
    print,
    progress: (text) => process.stderr.write(`${text}\n`),
    repeats: Number(values.repeats),
    seconds: Number(values.seconds),
    devices: Number(values.devices),
    records: Number(values.records),
    fleet: Number(values.fleet),
    minutes: Number(values.minutes),
  });
} else {
  console.error(usage);
  process.exitCode = 2;
}
