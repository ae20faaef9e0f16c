import { z } from "zod";
import {
  hasWellKnownPassword,
  invalidUrl,
  isPostgresUrl,
  wellKnownPassword,
} from "./postgres-url.js";
import { isDecodableUrl, undecodableUrl } from "./url-escapes.js";

/** More cells make more partitions than one database handles well: each cell has one for each day. */
const maxCells = 64;
const example = "4-7=postgres://user:password@host:5432/name";

const invalidEntry = `must be entries such as ${example}, separated by spaces.`;

interface Refused {
  readonly error: string;
}

/** Reads entries such as `4=…` and `4-7=…`. Returns the URL of each cell. */
function parseEntries(text: string): ReadonlyMap<number, string> | Refused {
  const urls = new Map<number, string>();
  for (const entry of text.trim().split(/\s+/)) {
    const [, from = "", to = from, url = ""] = /^(\d{1,4})(?:-(\d{1,4}))?=(.*)$/.exec(entry) ?? [];
    if (from === "" || Number(from) > Number(to)) return { error: invalidEntry };
    if (!isPostgresUrl(url)) return { error: `has a URL that cannot be used. Each ${invalidUrl}` };
    if (!isDecodableUrl(url)) return { error: undecodableUrl };
    if (hasWellKnownPassword(url)) return { error: wellKnownPassword };
    for (let cell = Number(from); cell <= Number(to); cell++) {
      if (urls.has(cell)) return { error: `names cell ${cell} twice. Name each cell once.` };
      urls.set(cell, url);
    }
  }
  return urls;
}

/** Settings of a fleet that is spread over several schemas or databases of Postgres. */
export const cellShape = {
  DATABASE_CELLS: z.int().min(1).max(maxCells).default(1).meta({
    unit: "cells",
    description:
      "How many cells the devices are spread over, each a schema. It is fixed when the database is created. 1 means no cells.",
  }),
  DATABASE_CELL_URLS: z
    .string()
    .transform((text, context): ReadonlyMap<number, string> => {
      const parsed = parseEntries(text);
      if (!("error" in parsed)) return parsed;
      context.addIssue({ code: "custom", message: parsed.error });
      return z.NEVER;
    })
    .optional()
    .meta({
      description: "Postgres databases of cells, separated by spaces. Cells are numbered from 0.",
      form: example,
      unless: "all cells in `DATABASE_URL`",
      concealed: true,
    }),
} as const;

/** Returns a sentence for each setting that contradicts the number of cells. */
export function findCellProblems({
  DATABASE_CELLS: count,
  DATABASE_CELL_URLS: urls,
  DATABASE_READ_URL: readUrl,
}: {
  readonly DATABASE_CELLS: number;
  readonly DATABASE_CELL_URLS?: ReadonlyMap<number, string> | undefined;
  readonly DATABASE_READ_URL?: string | undefined;
}): readonly string[] {
  if (count === 1) {
    return urls === undefined
      ? []
      : [
          "DATABASE_CELL_URLS has no effect without DATABASE_CELLS. Set DATABASE_CELLS to the number of cells, or unset it.",
        ];
  }
  const unknown = [...(urls?.keys() ?? [])].filter((cell) => cell >= count);
  return [
    ...(unknown.length === 0
      ? []
      : [
          `DATABASE_CELL_URLS names cell ${Math.min(...unknown)}, but with DATABASE_CELLS=${count} the cells are 0 to ${count - 1}.`,
        ]),
    ...(readUrl === undefined
      ? []
      : ["DATABASE_READ_URL does not work with cells. Unset it: every database answers itself."]),
  ];
}
