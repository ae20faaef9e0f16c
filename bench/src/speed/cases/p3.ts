import { startContender, startGateway } from "../contender.js";
import { finishAll, measureLoads } from "../measure-loads.js";
import type { SpeedCase } from "../speed-case.js";
import { shareOf } from "../verdict.js";
import { batchFiles } from "./record-files.js";

/** Compares batches of 100 timed records with a loop of `JSON.parse` and prepared inserts. */
export const p3: SpeedCase = {
  title: "P3: batches of 100 records, 64 connections",
  async run(setup, options) {
    const files = batchFiles(setup);
    const place = await setup.host.newPlace("raw-inserts");
    const contenders = [
      await startContender(setup, {
        name: "raw inserts",
        program: "raw-inserts",
        options: { place, files },
        files,
      }),
      await startGateway(setup, { name: "gateway", mount: "listener", files }),
    ];
    const lines = await measureLoads(contenders, { ...options, connections: 64 });
    const notes = [
      ...(await finishAll(contenders)),
      shareOf(lines, "records", "gateway", "raw inserts", 0.75, 0.9),
    ];
    return [{ title: p3.title, lines, notes }];
  },
};
