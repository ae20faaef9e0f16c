import { buildServers } from "../build-servers.js";
import { startGateway } from "../contender.js";
import { finishAll, measureLoads } from "../measure-loads.js";
import type { SpeedCase } from "../speed-case.js";
import { pairedNote } from "../verdict.js";
import { recordFiles } from "./record-files.js";

/** Measures the cost of durability: the same program without the wait until a commit is on disk. */
export const p4: SpeedCase = {
  title: "P4: durable commits against unsynced ones, 64 connections",
  stores: ["sqlite"],
  async run(setup, options) {
    const files = recordFiles(setup);
    const unsynced = await buildServers({
      file: /store-sqlite\/src\/database\/connection\.ts$/,
      change: (source) => source.replaceAll("await log?.whenDurable();", ""),
    });
    try {
      const contenders = [
        await startGateway(
          { ...setup, servers: unsynced },
          { name: "unsynced", mount: "listener", files },
        ),
        await startGateway(setup, { name: "durable", mount: "listener", files }),
      ];
      // An interval needs more pairs than a median.
      const repeats = options.repeats * 2;
      const lines = await measureLoads(contenders, { ...options, repeats, connections: 64 });
      const notes = [
        ...(await finishAll(contenders)),
        pairedNote(lines, "requests", "durable", "unsynced", "goal at least 85.0 %"),
      ];
      return [{ title: p4.title, lines, notes }];
    } finally {
      unsynced.remove();
    }
  },
};
