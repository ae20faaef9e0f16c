import { readFile, writeFile } from "node:fs/promises";
import { routes, toOpenApi } from "@device-gateway/core/contract";
import { settingsTable } from "../examples/server/src/settings/settings-table.js";
import { makeOfferVectors } from "../packages/device-client/src/testing/vectors/make-offer-vectors.js";
import { makeTraceVectors } from "../packages/device-client/src/testing/vectors/make-trace-vectors.js";
import { makeVersionVectors } from "../packages/device-client/src/testing/vectors/make-version-vectors.js";
import {
  dumpSchema as dumpPostgresSchema,
  schemaHeader,
} from "../packages/store-postgres/src/migrations/dump-schema.js";
import { startPostgresServer } from "../packages/store-postgres/src/testing/postgres-server.js";
import { dumpSchema } from "../packages/store-sqlite/src/migrations/dump-schema.js";
import { controlOpenApi } from "../packages/testing/src/control/control-openapi.js";
import { cContract } from "./c-contract.js";
import { listTestsBySection } from "./specification-tests.js";
import { wireTable } from "./wire-table.js";

interface Generated {
  readonly file: string;
  /** Returns the new text of the file. `before` is its current text. */
  readonly render: (before: string) => string | Promise<string>;
}

const toJson = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

const generated: readonly Generated[] = [
  {
    file: "packages/core/openapi.json",
    render: () => toJson(toOpenApi(routes, { basePath: "/api/v1" })),
  },
  {
    file: "packages/testing/control-openapi.json",
    render: () => toJson(controlOpenApi()),
  },
  { file: "packages/store-sqlite/schema.sql", render: () => dumpSchema() },
  { file: "packages/device-client/src/wire-table.ts", render: () => wireTable() },
  { file: "sdk/c/include/device_gateway_contract.h", render: () => cContract() },
  { file: "packages/device-client/vectors/offers.json", render: () => toJson(makeOfferVectors()) },
  {
    file: "packages/device-client/vectors/versions.json",
    render: () => toJson(makeVersionVectors()),
  },
  { file: "packages/device-client/vectors/traces.json", render: () => toJson(makeTraceVectors()) },
  {
    file: "packages/store-postgres/schema.sql",
    // Starts a server only if the migrations changed. A test compares the file with the schema of a real server.
    render: (before) => (before.startsWith(`${schemaHeader()}\n`) ? before : dumpFromNewServer()),
  },
  {
    file: "README.md",
    render: async (before) => {
      const embed = await readFile(
        new URL("../examples/embed/src/embed.ts", import.meta.url),
        "utf8",
      );
      return between(before, "embed", `\`\`\`ts\n${embed}\`\`\``);
    },
  },
  {
    file: "examples/server/README.md",
    render: (before) => between(before, "settings", settingsTable()),
  },
  { file: "docs/specification.md", render: listTestsBySection },
];

async function dumpFromNewServer(): Promise<string> {
  const server = await startPostgresServer();
  try {
    return await dumpPostgresSchema(server.url);
  } finally {
    await server.stop();
  }
}

/** Replaces the text between the comments `<!-- name:begin -->` and `<!-- name:end -->`. */
function between(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const [start, stop] = [page.indexOf(begin), page.indexOf(end)];
  if (start < 0 || stop < start)
    throw new Error(`The page has no ${begin} followed by ${end}. Add both comments.`);
  return `${page.slice(0, start)}${begin}\n${text.trim()}\n${page.slice(stop)}`;
}

async function readOrEmpty(file: URL): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

const checkOnly = process.argv.includes("--check");
for (const { file, render } of generated) {
  const url = new URL(`../${file}`, import.meta.url);
  const before = await readOrEmpty(url);
  const after = await render(before);
  if (after === before) continue;
  if (checkOnly) {
    console.error(`${file} is out of date. Run \`pnpm generate\` and commit the file.`);
    process.exitCode = 1;
  } else {
    await writeFile(url, after);
    console.log(`Wrote ${file}.`);
  }
}
