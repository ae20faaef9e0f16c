/**
 * The part of Vitest that the suites of `@device-gateway/testing` use, for runtimes that Vitest does not run on. The
 * assertions are Vitest's own.
 */
import { JestAsymmetricMatchers, JestChaiExpect, JestExtend } from "@vitest/expect";
import { fn, restoreAllMocks, spyOn } from "@vitest/spy";
// @ts-expect-error chai has no types of its own.
import * as chai from "chai";

interface Chai {
  readonly expect: (value: unknown, message?: string) => unknown;
  readonly use: (plugin: unknown) => void;
}
const { expect: chaiExpect, use } = chai as unknown as Chai;

use(JestExtend);
use(JestChaiExpect);
use(JestAsymmetricMatchers);

type Run = () => unknown;
type Assertion = Record<string, (...parameters: unknown[]) => unknown>;

const tests: { readonly title: string; readonly run: Run }[] = [];
const groups: string[] = [];

/** Repeats an assertion every 50 ms, as Vitest does, until it holds or a minute has passed. */
const poll = (read: Run) =>
  new Proxy({} as Assertion, {
    get:
      (_, matcher: string) =>
      async (...parameters: unknown[]) => {
        for (let tries = 1; ; tries++) {
          try {
            const assertion = chaiExpect(await read()) as unknown as Assertion;
            await assertion[matcher]?.(...parameters);
            return;
          } catch (error) {
            if (tries >= 1_200) throw error;
            await new Promise((resolve) => setTimeout(resolve, 50));
          }
        }
      },
  });

export const expect = Object.assign(
  (value: unknown, message?: string) => chaiExpect(value, message),
  chaiExpect,
  { poll },
);

export const vi = { fn, spyOn };

/** The hooks that run before and after each test of the present group, including those of the groups around it. */
let hooks: { readonly before: readonly Run[]; readonly after: readonly Run[] } = {
  before: [],
  after: [],
};

export function beforeEach(run: Run): void {
  hooks = { ...hooks, before: [...hooks.before, run] };
}

export function afterEach(run: Run): void {
  hooks = { ...hooks, after: [run, ...hooks.after] };
}

export function describe(name: string, declare: Run): void {
  const outer = hooks;
  groups.push(name);
  declare();
  groups.pop();
  hooks = outer;
}

/** Runs a test between the hooks. Those after it run in any case. */
const withHooks =
  (run: Run, { before, after }: typeof hooks): Run =>
  async () => {
    try {
      for (const hook of before) await hook();
      await run();
    } finally {
      for (const hook of after) await hook();
    }
  };

const createTest = () =>
  Object.assign(
    (title: string, run: Run) => {
      tests.push({ title: [...groups, title].join(" > "), run: withHooks(run, hooks) });
    },
    { skip: () => {} },
  );
export const it = createTest();
export const test = createTest();

/** A test that hangs fails, so that the others still run. */
function endHanging(work: unknown): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hanging = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("The test hangs.")), 300_000);
  });
  return Promise.race([work, hanging]).finally(() => clearTimeout(timer));
}

/** The titles of the tests, with the groups that they are in. */
export interface Results {
  readonly passed: readonly string[];
  readonly failed: readonly { readonly title: string; readonly reason: string }[];
}

/** Returns the message, which the stack does not contain on each runtime, and all of the values that differ. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { actual, expected } = error as { actual?: unknown; expected?: unknown };
  return [error.message, JSON.stringify({ actual, expected }), error.stack].join("\n");
}

/**
 * Runs the declared tests, one after the other, except those whose title ends with a text or that the function names.
 */
export async function runTests(
  leftOut: readonly string[] = [],
  isLeftOut: (title: string) => boolean = () => false,
): Promise<Results> {
  const passed: string[] = [];
  const failed: { title: string; reason: string }[] = [];
  const unknown = leftOut.filter((end) => !tests.some(({ title }) => title.endsWith(end)));
  if (unknown.length > 0) throw new Error(`These cases do not exist any more: ${unknown}`);
  for (const { title, run } of tests) {
    if (isLeftOut(title) || leftOut.some((end) => title.endsWith(end))) continue;
    try {
      await endHanging(run());
      passed.push(title);
    } catch (error) {
      failed.push({ title, reason: describeError(error) });
    } finally {
      restoreAllMocks();
    }
  }
  return { passed, failed };
}
