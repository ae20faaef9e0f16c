import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Results } from "./vitest-shim.js";

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Tests on each database, and of the bundled server with accounts. */
const tests = [
  "packages/store-postgres/src/migrations",
  "packages/store-sqlite/src/migrations",
  "packages/core/src/node/listener/write-stream.test.ts",
  "packages/adapter-express/src/express-handler.test.ts",
  "examples/server/src/main.test.ts",
  "examples/server/src/accounts/auth-contexts.test.ts",
];

/** Runs some tests as `npm test` does, with the Node of the folder. It starts a Postgres server. */
export async function runVitest(folder: string): Promise<Results> {
  const node = join(folder, "node_modules", ".bin", "node");
  const outputFile = join(folder, "vitest.json");
  await rm(outputFile, { force: true });
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const args = [vitest, "run", ...tests, "--reporter=json", `--outputFile=${outputFile}`];
  const printed = await new Promise<string>((resolve) => {
    execFile(node, args, { cwd: root, timeout: 240_000 }, (_, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
  const text = await readFile(outputFile, "utf8").catch(() => {
    throw new Error(`Vitest wrote no report.\n${printed}`);
  });
  const results = (JSON.parse(text) as Report).testResults.flatMap((file) => file.assertionResults);
  return {
    passed: results.filter(({ status }) => status === "passed").map(({ fullName }) => fullName),
    failed: results
      .filter(({ status }) => status === "failed")
      .map(({ fullName, failureMessages }) => ({
        title: fullName,
        reason: failureMessages.join("\n"),
      })),
  };
}
