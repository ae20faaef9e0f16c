import { fileURLToPath } from "node:url";
import { RuleTester } from "eslint";
import { parser } from "typescript-eslint";
import { describe, it } from "vitest";
import { mustUseResult } from "./must-use-result.js";

Object.assign(RuleTester, { describe, it });

const root = fileURLToPath(new URL("../..", import.meta.url));
const filename = `${root}packages/core/src/shared/awaitable.ts`;

const tester = new RuleTester({
  languageOptions: {
    parser,
    // Each case replaces the text of the project's one file.
    parserOptions: {
      project: "./scripts/eslint/tsconfig.json",
      tsconfigRootDir: root,
      // With CI set, the parser would otherwise read the file from disk instead of the case's text.
      disallowAutomaticSingleRunInference: true,
    },
  },
});

const within = (code) => `
import { type Result, type ResultAsync } from "neverthrow";
declare const result: () => Result<number, string>;
declare const later: () => ResultAsync<number, string>;
declare const promised: () => Promise<Result<number, string>>;
declare const use: (value: unknown) => void;
declare const yes: boolean;
export async function f() { ${code} }`;

tester.run("must-use-result", mustUseResult, {
  valid: [
    "use(result());",
    "use(await later());",
    "return promised();",
    "const r = await promised(); if (r.isErr()) use(r.error);",
    "result().match(use, use);",
    "await later().match(use, use);",
    "let r; r = result(); return r;",
    "yes ? use(1) : use(2);",
    "use(1);",
  ].map((code) => ({ name: code, filename, code: within(code) })),
  invalid: [
    "result();",
    "await later();",
    "later();",
    "await promised();",
    "promised();",
    "void promised();",
    "result().map(use);",
    "yes && result();",
    "yes ? use(1) : result();",
  ].map((code) => ({
    name: code,
    filename,
    code: within(code),
    errors: [{ messageId: "unused" }],
  })),
});
