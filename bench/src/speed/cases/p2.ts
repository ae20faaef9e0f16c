import { startGateway, startHandWritten } from "../contender.js";
import { finishAll, measureLoads } from "../measure-loads.js";
import type { SpeedCase } from "../speed-case.js";
import { shareOf, timesAsMuch } from "../verdict.js";
import { recordFiles } from "./record-files.js";

/** Compares the same records with what a team would write by hand. */
export const p2: SpeedCase = {
  title: "P2: durable single records, against a hand-written stack",
  async run(setup, options) {
    const files = recordFiles(setup);
    const contenders = [
      await startHandWritten(setup, files),
      await startGateway(setup, { name: "gateway", mount: options.mount, files }),
      await startGateway(setup, { name: "gateway in Express", mount: "express", files }),
    ];
    const lines = await measureLoads(contenders, { ...options, connections: 64 });
    const [goal, stretch] = setup.host.kind === "sqlite" ? ([6, 10] as const) : ([2.5, 4] as const);
    const notes = [
      ...(await finishAll(contenders)),
      shareOf(lines, "requests", "gateway", "hand-written", goal, stretch),
      ...(setup.host.kind === "sqlite"
        ? [shareOf(lines, "requests", "gateway in Express", "hand-written", 3, 5)]
        : []),
      timesAsMuch(lines, "p99", "gateway", "hand-written", 1),
    ];
    return [{ title: p2.title, lines, notes }];
  },
};
