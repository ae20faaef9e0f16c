import type { Results } from "./vitest-shim.js";

/** Returns what is wrong with the results of a runtime, given the cases that are expected to fail there. */
export function judgeResults(
  { passed, failed }: Results,
  expected: Readonly<Record<string, string>>,
): string[] {
  if (passed.length === 0) return ["No case passed."];
  const isExpected = ({ title }: { title: string }) => Object.hasOwn(expected, title);
  const unexpected = failed.filter((failure) => !isExpected(failure));
  const failing = new Set(failed.map(({ title }) => title));
  const outdated = Object.keys(expected).filter((title) => !failing.has(title));
  return [
    ...unexpected.map(({ title, reason }) => `${title}\n${reason}`),
    ...outdated.map((title) => {
      const what = passed.includes(title) ? "passes" : "does not exist";
      return `${title}\nThis case ${what}. Remove it from expected-failures.ts.`;
    }),
  ];
}
