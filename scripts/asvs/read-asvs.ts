/** A test that the page names: some of its full name, and the file that it stands in. */
export interface NamedTest {
  readonly file: string;
  readonly title: string;
}

export interface AsvsRow {
  /** Requirements, or whole sections and chapters. */
  readonly ids: readonly string[];
  readonly verdict: string;
  readonly tests: readonly NamedTest[];
  /** Paths that it links to. */
  readonly links: readonly string[];
}

export interface AsvsPage {
  readonly rows: readonly AsvsRow[];
  /** What is wrong with the page itself. */
  readonly problems: readonly string[];
}

const cellsOf = (line: string) =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());

/** Reads `docs/asvs.md`: rows of requirements, and the files that tests are named by. */
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
      if (file === undefined) problems.push(`${idCell}: there is no file by the name ${name}.`);
      return { file: file ?? "", title };
    });
    const verdict = /^\*\*([^*]+)\*\*/.exec(how)?.[1] ?? "";
    const links = [...how.matchAll(/\]\(([^)#]+)/g)].map(([, link = ""]) => link);
    return [{ ids: idCell.split(",").map((id) => id.trim()), verdict, tests, links }];
  });
  return { rows, problems };
}
