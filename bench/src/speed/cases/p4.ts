import { buildServers } from "../build-servers.js";
import { startGateway } from "../contender.js";
import { finishAll, measureLoads } from "../measure-loads.js";
import type { SpeedCase } from "../speed-case.js";
import { pairedNote } from "../verdict.js";
import { recordFiles } from "./record-files.js";

/** What durability costs: the same program, but for waiting until a commit is on disk. */
export const p4: SpeedCase = {
  title: "P4: durable commits against careless ones, 64 connections",
  stores: ["sqlite"],
  async run(setup, options) {
    const files = recordFiles(setup);
    const careless = await buildServers({
      file: /store-sqlite\/src\/connection\.ts$/,
      change: (source) => source.replaceAll("await log?.whenDurable();", ""),
    });
    try {
      const contenders = [
        await startGateway(
          { ...setup, servers: careless },
          { name: "careless", mount: "listener", files },
        ),
        await startGateway(setup, { name: "durable", mount: "listener", files }),
      ];
      // An interval wants more pairs than a median does.
      const repeats = options.repeats * 2;
      const lines = await measureLoads(contenders, { ...options, repeats, connections: 64 });
      const notes = [
        ...(await finishAll(contenders)),
        pairedNote(lines, "requests", "durable", "careless", "goal at least 85.0 %"),
      ];
      return [{ title: p4.title, lines, notes }];
    } finally {
      careless.remove();
    }
  },
};
