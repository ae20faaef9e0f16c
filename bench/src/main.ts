import { parseArgs } from "node:util";
import { runDownloadsBench } from "./downloads-bench.js";
import { runExportBench } from "./export-bench.js";
import { runFileBench } from "./file-bench.js";
import { runPagesBench } from "./pages-bench.js";
import { runSearchBench } from "./search-bench.js";
import { runSpeedBench, speedCases, speedCommands } from "./speed/speed-bench.js";
import { type StoreKind, storeKinds } from "./speed/store/store-place.js";
import { runTurnsBench } from "./turns-bench.js";

const usage = `pnpm bench downloads [--quick] [--markdown]
pnpm bench export [--store sqlite] [--repeats 5] [--records 1000000] [--markdown]
pnpm bench file [--repeats 5] [--records 15000000] [--markdown]
pnpm bench pages [--devices 20000] [--records 400000] [--repeats 5] [--markdown]
pnpm bench search [--store sqlite] [--devices 20000] [--fleet 1000000] [--repeats 5] [--markdown]
pnpm bench turns [--store sqlite] [--days 365] [--repeats 5] [--only "part of a name"] [--markdown]
pnpm bench speed [--store sqlite] [--repeats 5] [--seconds 3] [--devices 20000] [--records 10000000]
  [--fleet 1000000] [--minutes 20] [--markdown]
pnpm bench p1 [p2 …], with the same options: runs single cases
pnpm bench alerts, with the same options: alert rules
pnpm bench cells [--rate 1000], with the same options: 8 cells on 1, 2 and 4 Postgres databases (P16)
pnpm bench storm: lets the whole fleet log in at once
pnpm bench yardstick [--server bundled]: VictoriaMetrics (a Debian package) takes the same records
pnpm bench p1 p2 p7 p10 --server bundled: on the bundled server
pnpm bench profile | profile-bundled | profile-express | profile-config: shows where the time of P1 or P7 goes
  cases: ${Object.keys(speedCases).join(", ")}`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    markdown: { type: "boolean", default: false },
    repeats: { type: "string", default: "5" },
    seconds: { type: "string", default: "3" },
    devices: { type: "string", default: "20000" },
    records: { type: "string" },
    fleet: { type: "string", default: "1000000" },
    minutes: { type: "string", default: "20" },
    days: { type: "string", default: "365" },
    rate: { type: "string" },
    only: { type: "string" },
    store: { type: "string", default: "sqlite" },
    server: { type: "string", default: "plain" },
  },
});
const { markdown, store, server } = values;
const databaseUrl = process.env["TEST_DATABASE_URL"];
const isKind = (name: string): name is StoreKind => storeKinds.includes(name);
const mounts = { plain: "listener", bundled: "bundled" } as const;
const isServer = (name: string): name is keyof typeof mounts => name in mounts;
const isCase = (name: string) => name in speedCommands;
const print = console.log;
const progress = (text: string) => process.stderr.write(`${text}\n`);
const cases = positionals[0] === "speed" ? Object.keys(speedCases) : positionals;

if (positionals[0] === "downloads") {
  await runDownloadsBench({ quick: values.quick, markdown, print });
} else if (positionals[0] === "file") {
  const [records, repeats] = [Number(values.records ?? 15_000_000), Number(values.repeats)];
  await runFileBench({ records, repeats, markdown, print, progress });
} else if (positionals[0] === "pages") {
  const [devices, repeats] = [Number(values.devices), Number(values.repeats)];
  const records = Number(values.records ?? 400_000);
  await runPagesBench({ devices, records, repeats, markdown, print, progress });
} else if (positionals[0] === "turns" && isKind(store)) {
  const [days, repeats, { only }] = [Number(values.days), Number(values.repeats), values];
  await runTurnsBench({ kind: store, databaseUrl, days, repeats, only, markdown, print, progress });
} else if (positionals[0] === "search" && isKind(store)) {
  const [devices, fleet] = [Number(values.devices), Number(values.fleet)];
  const repeats = Number(values.repeats);
  await runSearchBench({
    kind: store,
    databaseUrl,
    devices,
    fleet,
    repeats,
    markdown,
    print,
    progress,
  });
} else if (positionals[0] === "export" && isKind(store)) {
  const [records, repeats] = [Number(values.records ?? 1_000_000), Number(values.repeats)];
  await runExportBench({ kind: store, databaseUrl, records, repeats, markdown, print, progress });
} else if (cases.length > 0 && cases.every(isCase) && isKind(store) && isServer(server)) {
  await runSpeedBench({
    cases,
    kind: store,
    ...(databaseUrl && { databaseUrl }),
    markdown,
    print,
    mount: mounts[server],
    progress,
    repeats: Number(values.repeats),
    seconds: Number(values.seconds),
    ...(values.rate !== undefined && { perSecond: Number(values.rate) }),
    devices: Number(values.devices),
    records: Number(values.records ?? 10_000_000),
    fleet: Number(values.fleet),
    minutes: Number(values.minutes),
  });
} else {
  console.error(usage);
  process.exitCode = 2;
}
