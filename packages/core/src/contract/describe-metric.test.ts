import { expect, test } from "vitest";
import { describeMetric } from "./describe-metric.js";

const all = {
  soc: { unit: "%" },
  "cells.*": { displayName: "Cell *", unit: "V" },
  "cells.1": { displayName: "Weak cell" },
  "packs.*.cells.*.voltage": { displayName: "Pack *, cell *" },
  "few.*": { displayName: "* of * of *" },
  "plain.*": { decimals: 1 },
};

test("§7 a `*` in the name of a description stands for an index, and one in its display name for the index from 1", () => {
  expect(describeMetric(all, "soc")).toEqual({ unit: "%" });
  expect(describeMetric(all, "cells.0")).toEqual({ displayName: "Cell 1", unit: "V" });
  expect(describeMetric(all, "cells.1"), "the exact name comes first").toEqual({
    displayName: "Weak cell",
  });
  const nested = describeMetric(all, "packs.0.cells.15.voltage");
  expect(nested.displayName).toBe("Pack 1, cell 16");
  expect(describeMetric(all, "few.3").displayName).toBe("4 of * of *");
  expect(describeMetric(all, "plain.3")).toEqual({ decimals: 1 });
});

test("§7 a name that no description matches gets no description, even if it looks like an index or a built-in", () => {
  for (const name of [
    "cells.x",
    "cells\\.1",
    "cells.1.y",
    "cells.1x",
    "toString",
    "__proto__",
    "",
  ]) {
    expect(describeMetric(all, name), name).toEqual({});
  }
});
