import type { AsvsPage, AsvsRow, NamedTest } from "./read-asvs.js";

/** What of Vitest's JSON report counts here. */
export interface TestReport {
  readonly testResults: readonly {
    /** Absolute path. */
    readonly name: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

const verdicts = ["Shown", "Written", "Left to you", "Not met", "Does not apply"];

const covers = (id: string, requirement: string) =>
  requirement === id || requirement.startsWith(`${id}.`);

/** What is wrong with the page: requirements that it leaves out or names twice, rows that say nothing. */
export function judgePage(
  { rows, problems }: AsvsPage,
  requirements: readonly string[],
  exists: (link: string) => boolean,
): readonly string[] {
  const ids = rows.flatMap((row) => row.ids);
  const unanswered = requirements.filter((one) => !ids.some((id) => covers(id, one)));
  const twice = requirements.filter((one) => ids.filter((id) => covers(id, one)).length > 1);
  const unknown = ids.filter((id) => !requirements.some((one) => covers(id, one)));
  const empty = (row: AsvsRow) => {
    const name = row.ids.join(", ");
    if (!verdicts.includes(row.verdict))
      return [`${name} begins with none of: ${verdicts.join(", ")}.`];
    if (row.verdict === "Shown" && row.tests.length === 0) return [`${name} names no test.`];
    if (row.verdict === "Written" && row.links.length === 0) return [`${name} links to nothing.`];
    return row.links.filter((link) => !exists(link)).map((link) => `${name}: no ${link}.`);
  };
  return [
    ...problems,
    ...unanswered.map((one) => `${one} is not answered.`),
    ...twice.map((one) => `${one} is answered twice.`),
    ...unknown.map((id) => `${id} is no requirement of these levels.`),
    ...rows.flatMap(empty),
  ];
}

function judgeTest({ file, title }: NamedTest, report: TestReport): readonly string[] {
  const ran = report.testResults.filter(({ name }) => name.endsWith(`/${file}`));
  if (ran.length === 0) return [`${file} did not run.`];
  const named = ran
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ fullName }) => fullName.includes(title));
  if (named.length === 0) return [`${file} has no test "${title}".`];
  const others = named.filter(({ status }) => status !== "passed");
  return others.map(({ fullName, status }) => `${file}: "${fullName}" is ${status}.`);
}

/** What is wrong with the tests that the page names: gone, failed, skipped or never run. */
export function judgeTests(tests: readonly NamedTest[], report: TestReport): readonly string[] {
  return [...new Set(tests.flatMap((test) => judgeTest(test, report)))];
}
