/**
 * `pnpm asvs` runs the tests that docs/asvs.md names and prints the requirements that they do not prove.
 * `pnpm asvs --report <file>` reads a report of Vitest (`--reporter=json`) instead of running the tests.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { judgePage, judgeTests, type TestReport } from "./judge-asvs.js";
import { readAsvs } from "./read-asvs.js";
import { requirements } from "./requirements.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = readAsvs(readFileSync(join(root, "docs/asvs.md"), "utf8"));
const tests = page.rows.flatMap((row) => row.tests);

function runTests(): string {
  const report = join(mkdtempSync(join(tmpdir(), "asvs-")), "report.json");
  const files = [...new Set(tests.map(({ file }) => file))];
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  spawnSync(process.execPath, [vitest, "run", ...files, ...reporters], {
    cwd: root,
    stdio: "inherit",
  });
  return report;
}

const reportIndex = process.argv.indexOf("--report");
const file = reportIndex < 0 ? runTests() : (process.argv[reportIndex + 1] ?? "");
const report = JSON.parse(readFileSync(file, "utf8")) as TestReport;
const problems = [
  ...judgePage(page, requirements, (link) => existsSync(join(root, "docs", link))),
  ...judgeTests(tests, report),
];
for (const problem of problems) console.error(problem);
const idsOf = (wanted: string) =>
  page.rows.filter(({ verdict }) => verdict === wanted).flatMap(({ ids }) => ids);
const titles = new Set(tests.map(({ title }) => title));
console.log(
  problems.length === 0
    ? `ASVS: ${requirements.length} requirements answered, ${idsOf("Shown").length} shown and ${idsOf("Partly").length} partly shown by ${titles.size} tests that ran.`
    : `ASVS: ${problems.length} problems in docs/asvs.md.`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
