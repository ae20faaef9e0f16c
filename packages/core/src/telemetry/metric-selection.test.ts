import fc from "fast-check";
import { expect, test } from "vitest";
import { createSelector, parseSelection } from "./metric-selection.js";

test("§7 a list has names and prefixes; a backslash keeps a comma, and a star or a space at an end", () => {
  expect(parseSelection(String.raw`soc, bms.*,a\.b,cell\,1,x\*, \ y\ `)).toEqual({
    names: ["soc", String.raw`a\.b`, "cell,1", "x*", " y "],
    prefixes: ["bms."],
    topLevel: false,
  });
  expect(parseSelection("*")).toEqual({ names: [], prefixes: [""], topLevel: false });
  for (const empty of [undefined, "", " , "]) expect(parseSelection(empty).topLevel).toBe(true);
});

test("§7 every name that is escaped into a list is selected, and no other", () => {
  const text = fc.string({
    unit: fc.constantFrom("a", ",", "*", ".", "\\", "é", " "),
    minLength: 1,
  });
  const toName = (key: string) => key.replaceAll("\\", "\\\\").replaceAll(".", "\\.");
  fc.assert(
    fc.property(text, text, (one, other) => {
      const [name, another] = [toName(one), toName(other)];
      const list = name
        .replaceAll(",", "\\,")
        .replace(/\*$/, "\\*")
        .replaceAll(/^\s|\s$/g, "\\$&");
      const isWanted = createSelector(parseSelection(`first,${list}`));
      expect([isWanted(name), isWanted(another)]).toEqual([true, name === another]);
    }),
  );
});
