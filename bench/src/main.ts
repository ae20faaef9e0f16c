import { parseArgs } from "node:util";
import { runDownloadsBench } from "./downloads-bench.js";
import { runLayoutBench } from "./layout-bench.js";

const usage = `pnpm bench layouts [--quick] [--markdown] [--only PART]
parts: encodings, ingest, day, history, retention, growth
pnpm bench downloads [--quick] [--markdown]`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    markdown: { type: "boolean", default: false },
    only: { type: "string" },
  },
});

if (positionals[0] === "layouts") {
  const { quick, markdown, only } = values;
  runLayoutBench({ quick, markdown, ...(only !== undefined && { only }), print: console.log });
} else if (positionals[0] === "downloads") {
  const { quick, markdown } = values;
  await runDownloadsBench({ quick, markdown, print: console.log });
} else {
  console.error(usage);
  process.exitCode = 2;
}
