import type { Section } from "./measure.js";
import { measureDay } from "./sections/day.js";
import { measureEncodings } from "./sections/encodings.js";
import { measureGrowth } from "./sections/growth.js";
import { measureHistory } from "./sections/history.js";
import { measureIngest } from "./sections/ingest.js";
import { measureRetention } from "./sections/retention.js";
import { renderSection } from "./table.js";
import { createWorkspace, type Workspace } from "./workspace.js";

export interface LayoutBenchOptions {
  /** A few seconds instead of many minutes: shows that it runs, measures nothing. */
  readonly quick?: boolean;
  readonly markdown?: boolean;
  /** One part alone. */
  readonly only?: string;
  /** Hears each part's table when it is done. */
  readonly print?: (text: string) => void;
}

/** The parts, each in a folder of its own that goes when it is done. */
function partsOf(quick: boolean): Record<string, (workspace: Workspace) => readonly Section[]> {
  const repeats = quick ? 1 : 5;
  return {
    encodings: () => [measureEncodings({ records: quick ? 60 : 3_000, repeats })],
    ingest: (workspace) => [
      measureIngest(
        workspace,
        quick
          ? { devices: 100, before: 1, commits: 2, batches: 1, repeats }
          : { devices: 20_000, before: 3, commits: 60, batches: 6, repeats: 7 },
      ),
    ],
    day: (workspace) =>
      measureDay(
        workspace,
        quick
          ? { devices: 2, hours: 1, reads: 10, repeats }
          : { devices: 60, hours: 24, reads: 1_000, repeats },
      ),
    history: (workspace) => [
      measureHistory(
        workspace,
        quick
          ? { days: 2, busyDays: 1, others: 0, repeats }
          : { days: 365, busyDays: 30, others: 2, repeats },
      ),
    ],
    retention: (workspace) => [
      measureRetention(
        workspace,
        quick
          ? { devices: 8, hours: 2 * repeats, commits: 4, repeats }
          : { devices: 100, hours: 2 * repeats, commits: 24, repeats },
      ),
    ],
    growth: (workspace) => [
      measureGrowth(
        workspace,
        quick
          ? { few: 50, many: 400, records: 500, commits: 2, repeats }
          : { few: 20_000, many: 1_000_000, records: 1_000_000, commits: 60, repeats },
      ),
    ],
  };
}

export function runLayoutBench(options: LayoutBenchOptions): readonly Section[] {
  const { quick = false, markdown = false, only, print } = options;
  const parts = Object.entries(partsOf(quick)).filter(
    ([name]) => only === undefined || name === only,
  );
  if (parts.length === 0) throw new Error(`There is no part "${only}".`);
  return parts.flatMap(([, measure]) => {
    const workspace = createWorkspace(quick ? "OFF" : "FULL");
    try {
      const sections = measure(workspace);
      for (const section of sections) print?.(`${renderSection(section, markdown)}\n`);
      return sections;
    } finally {
      workspace.remove();
    }
  });
}
