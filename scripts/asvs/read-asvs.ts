/** A test that the page names: its file and a part of its full name. */
export interface NamedTest {
  readonly file: string;
  readonly title: string;
}

export interface AsvsRow {
  /** Ids of requirements, sections or chapters. */
  readonly ids: readonly string[];
  readonly verdict: string;
  readonly tests: readonly NamedTest[];
  /** The paths of its links. */
  readonly links: readonly string[];
}

export interface AsvsPage {
  readonly rows: readonly AsvsRow[];
  /** Errors in the page itself. */
  readonly problems: readonly string[];
}

const cellsOf = (line: string) =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());

/** Reads the rows of `docs/asvs.md`, and resolves the short names of its test files. */
export function readAsvs(page: string): AsvsPage {
  const lines = page.split("\n").filter((line) => line.startsWith("|"));
  const files = new Map(
    lines.flatMap((line) => {
      const [, name = "", file = ""] = /^\| `([\w-]+)` \| `([^`]+)` \|$/.exec(line) ?? [];
      return name === "" ? [] : [[name, file] as const];
    }),
  );
  const problems: string[] = [];
  const rows = lines.flatMap((line) => {
    const [idCell = "", , how = ""] = cellsOf(line);
    if (!/^\d+(\.\d+){0,2}(,|$)/.test(idCell)) return [];
    const tests = [...how.matchAll(/`([\w-]+): ([^`]+)`/g)].map(([, name = "", title = ""]) => {
      const file = files.get(name);
      if (file === undefined)
        problems.push(`${idCell} names the file ${name}, which the list of files does not have.`);
      return { file: file ?? "", title };
    });
    const verdict = /^\*\*([^*]+)\*\*/.exec(how)?.[1] ?? "";
    const links = [...how.matchAll(/\]\(([^)#]+)/g)].map(([, link = ""]) => link);
    return [{ ids: idCell.split(",").map((id) => id.trim()), verdict, tests, links }];
  });
  return { rows, problems };
}
