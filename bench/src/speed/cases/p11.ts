import { startGateway } from "../contender.js";
import { finishAll, measureLoads } from "../measure-loads.js";
import type { SpeedCase } from "../speed-case.js";
import { timesAsMuch } from "../verdict.js";
import { recordFiles } from "./record-files.js";

/** Compares the bundled server with a bare gateway on `node:http`. */
export const p11: SpeedCase = {
  title: "P11: durable single records on the bundled server",
  async run(setup, options) {
    const files = recordFiles(setup);
    const contenders = [
      await startGateway(setup, { name: "gateway", mount: "listener", files }),
      await startGateway(setup, { name: "bundled server", mount: "bundled", files }),
    ];
    const lines = await measureLoads(contenders, { ...options, connections: 64 });
    const notes = [
      ...(await finishAll(contenders)),
      timesAsMuch(lines, "CPU of all threads", "bundled server", "gateway", 1.15),
    ];
    return [{ title: p11.title, lines, notes }];
  },
};
