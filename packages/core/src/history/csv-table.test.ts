import fc from "fast-check";
import { expect, test } from "vitest";
import { toCsvLine } from "./csv.js";
import { createCsvTable } from "./csv-table.js";

const leaf = fc.oneof(fc.constantFrom("", "a", "=1", 'x"y', "1,2"), fc.integer(), fc.boolean());
const names = fc.uniqueArray(
  fc.constantFrom<string[]>("timestamp", "other", "a", "b.c", "b.d", "=e"),
);
/** Records of a few shapes. Records of one shape share the list of names. */
const records = fc.array(names, { minLength: 1, maxLength: 3 }).chain((shapes) =>
  fc.array(
    fc
      .constantFrom(...shapes)
      .chain((shape) =>
        fc
          .array(leaf, { minLength: shape.length, maxLength: shape.length })
          .map((values) => ({ at: 0, position: 0, names: shape, values })),
      ),
    { maxLength: 8 },
  ),
);

test("§7 each value is in the column of its name, and `other` contains the values without a column", () => {
  fc.assert(
    fc.property(records, (made) => {
      const table = createCsvTable();
      for (const record of made) table.addColumns(record.names);
      const all = new Set(made.flatMap((record) => record.names));
      const columns = [...all].filter((name) => name !== "timestamp" && name !== "other");
      expect(table.restOfHeader((name) => name)).toBe(`,${toCsvLine([...columns, "other"])}`);
      for (const record of made) {
        const leafOf = (name: string) => record.values[record.names.indexOf(name)];
        const other = leafOf("other");
        const rest = other === undefined ? undefined : JSON.stringify({ other });
        expect(table.toLine(record)).toBe(
          toCsvLine(["1970-01-01T00:00:00.000Z", ...columns.map(leafOf), rest]),
        );
      }
    }),
  );
});
