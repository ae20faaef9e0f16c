import { expect, test } from "vitest";
import { allTests } from "../../scripts/all-tests.js";
import { runDownloadsBench } from "./downloads-bench.js";

test.runIf(allTests)(
  "the downloads bench measures CPU and latency with and without downloads",
  async () => {
    const { lines } = await runDownloadsBench({ quick: true });
    expect(lines.map(({ what }) => what)).toEqual(["CPU of the gateway", "p50", "p99", "highest"]);
    for (const { values } of lines) expect([...values.keys()].sort()).toEqual(["with", "without"]);
  },
);
