import { expect, test } from "vitest";
import { createFormats } from "./metric-format.js";
import { findMetricGroups } from "./metric-groups.js";

const described = { "cells.*.voltage": { displayName: "Cell *" } };

test("metrics whose names differ only in a number are a group", () => {
  const cells = [0, 1, 2].flatMap((n) => [`cells.${n}.voltage`, `cells.${n}.temperature`]);
  expect(findMetricGroups([...cells, "soc", "pv1", "pv2"], createFormats(described))).toEqual([
    { title: "Cell *", names: ["cells.0.voltage", "cells.1.voltage", "cells.2.voltage"] },
    {
      title: "cells.*.temperature",
      names: ["cells.0.temperature", "cells.1.temperature", "cells.2.temperature"],
    },
  ]);
});
