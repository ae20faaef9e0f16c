import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { judgePage, judgeTests } from "./judge-asvs.js";
import { readAsvs } from "./read-asvs.js";
import { requirements } from "./requirements.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const always = () => true;

it("the list has the requirements of ASVS 5.0.0 levels 1 and 2, and four of level 3", () => {
  expect(requirements).toHaveLength(70 + 183 + 4);
  expect(requirements).toEqual(expect.arrayContaining(["6.3.8", "8.3.2", "11.2.4", "15.4.2"]));
});

it("docs/asvs.md answers each requirement once, and every file that it names exists", () => {
  const page = readAsvs(readFileSync(join(root, "docs/asvs.md"), "utf8"));
  expect(judgePage(page, requirements, (link) => existsSync(join(root, "docs", link)))).toEqual([]);
  const files = new Set(page.rows.flatMap(({ tests }) => tests.map(({ file }) => file)));
  expect([...files].filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

const text = `
| \`one\` | \`src/one.test.ts\` |

| 1.1.1, 1.1.2 | what | **Shown** \`one: holds\` |
| 1.2 | what | **Does not apply** |
`;

it("the check finds requirements that are missing, repeated or without evidence", () => {
  const page = readAsvs(`${text}
| 1.1.2 | again | **Written** here |
| 9.9.9 | what | **Perhaps** |
| 1.3.1 | what | **Shown** \`two: holds\` |
| 1.4.1 | what | **Partly** a half |`);
  expect(judgePage(page, ["1.1.1", "1.1.2", "1.2.1", "1.3.1", "1.4.1", "1.5.1"], always)).toEqual([
    "1.3.1 names the file two, which the list of files does not have.",
    "1.5.1 is not answered.",
    "1.1.2 is answered twice.",
    "9.9.9 is not a requirement of these levels.",
    "1.1.2 has no link.",
    "9.9.9 must begin with one of: Shown, Partly, Written, Left to you, Not met, Does not apply.",
    "1.4.1 names no test.",
  ]);
});

it("the check accepts only a test that ran and passed", () => {
  const [row] = readAsvs(text).rows;
  const judge = (
    assertionResults: { fullName: string; status: string }[],
    name = "/x/src/one.test.ts",
  ) => judgeTests(row?.tests ?? [], { testResults: [{ name, assertionResults }] });
  expect(judge([{ fullName: "it holds on all", status: "passed" }])).toEqual([]);
  expect(judge([{ fullName: "it holds", status: "skipped" }])).toEqual([
    'src/one.test.ts: "it holds" has the status skipped.',
  ]);
  const mixed = [
    { fullName: "it holds here", status: "passed" },
    { fullName: "it holds there", status: "failed" },
  ];
  expect(judge(mixed)).toEqual(['src/one.test.ts: "it holds there" has the status failed.']);
  expect(judge([{ fullName: "renamed", status: "passed" }])).toEqual([
    'src/one.test.ts has no test "holds".',
  ]);
  expect(judge([], "/x/src/other.test.ts")).toEqual(["src/one.test.ts did not run."]);
});
