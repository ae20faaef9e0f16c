import type { AsvsPage, AsvsRow, NamedTest } from "./read-asvs.js";

/** The part of Vitest's JSON report that the check reads. */
export interface TestReport {
  readonly testResults: readonly {
    /** Absolute path. */
    readonly name: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

const verdicts = ["Shown", "Partly", "Written", "Left to you", "Not met", "Does not apply"];
/** Verdicts that need a test. */
const tested = ["Shown", "Partly"];

const covers = (id: string, requirement: string) =>
  requirement === id || requirement.startsWith(`${id}.`);

/** Returns the page's errors: missing or repeated requirements, and rows without evidence. */
export function judgePage(
  { rows, problems }: AsvsPage,
  requirements: readonly string[],
  exists: (link: string) => boolean,
): readonly string[] {
  const ids = rows.flatMap((row) => row.ids);
  const unanswered = requirements.filter((one) => !ids.some((id) => covers(id, one)));
  const repeated = requirements.filter((one) => ids.filter((id) => covers(id, one)).length > 1);
  const unknown = ids.filter((id) => !requirements.some((one) => covers(id, one)));
  const checkRow = (row: AsvsRow) => {
    const name = row.ids.join(", ");
    if (!verdicts.includes(row.verdict))
      return [`${name} must begin with one of: ${verdicts.join(", ")}.`];
    if (tested.includes(row.verdict) && row.tests.length === 0) return [`${name} names no test.`];
    if (row.verdict === "Written" && row.links.length === 0) return [`${name} has no link.`];
    return row.links
      .filter((link) => !exists(link))
      .map((link) => `${name} links to ${link}, which does not exist.`);
  };
  return [
    ...problems,
    ...unanswered.map((one) => `${one} is not answered.`),
    ...repeated.map((one) => `${one} is answered twice.`),
    ...unknown.map((id) => `${id} is not a requirement of these levels.`),
    ...rows.flatMap(checkRow),
  ];
}

function judgeTest({ file, title }: NamedTest, report: TestReport): readonly string[] {
  const ran = report.testResults.filter(({ name }) => name.endsWith(`/${file}`));
  if (ran.length === 0) return [`${file} did not run.`];
  const named = ran
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ fullName }) => fullName.includes(title));
  if (named.length === 0) return [`${file} has no test "${title}".`];
  const notPassed = named.filter(({ status }) => status !== "passed");
  return notPassed.map(
    ({ fullName, status }) => `${file}: "${fullName}" has the status ${status}.`,
  );
}

/** Returns an error for each named test that is missing, failed or did not run. */
export function judgeTests(tests: readonly NamedTest[], report: TestReport): readonly string[] {
  return [...new Set(tests.flatMap((test) => judgeTest(test, report)))];
}
