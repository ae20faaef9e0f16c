import { startBare, startGateway } from "../contender.js";
import { finishAll, measureLoads } from "../measure-loads.js";
import type { SpeedCase } from "../speed-case.js";
import { shareOf } from "../verdict.js";
import { recordFiles } from "./record-files.js";

/** Compares durable records with servers that read, parse and discard. */
export const p1: SpeedCase = {
  title: "P1: durable single records, 64 connections",
  async run(setup, options) {
    const files = recordFiles(setup);
    const contenders = [
      await startBare(setup, "bare-http", files),
      await startGateway(setup, { name: "gateway", mount: options.mount, files }),
      await startBare(setup, "bare-express", files),
      await startGateway(setup, { name: "gateway in Express", mount: "express", files }),
    ];
    const lines = await measureLoads(contenders, { ...options, connections: 64 });
    const notes = [
      ...(await finishAll(contenders)),
      shareOf(lines, "requests", "gateway", "bare node:http", 0.35, 0.5),
      shareOf(lines, "requests", "gateway in Express", "bare Express", 0.6, 0.85),
    ];
    return [{ title: p1.title, lines, notes }];
  },
};
