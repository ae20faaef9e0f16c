import { spread } from "../../measure.js";
import { buildServers } from "../build-servers.js";
import { startGateway } from "../contender.js";
import { finishAll, measureLoads } from "../measure-loads.js";
import type { SpeedCase } from "../speed-case.js";
import { recordFiles } from "./record-files.js";

const maxMs = 0.2;

const direct = `export function coalesce({ commit }) {
  return async (input) => (await commit([input]))[0];
}`;

/** Measures what shared commits add to the latency of a lone request. */
export const p5: SpeedCase = {
  title: "P5: latency of one connection, with shared commits and without",
  stores: ["sqlite"],
  async run(setup, options) {
    const files = recordFiles(setup);
    const alone = await buildServers({ file: /core\/src\/coalesce\.ts$/, change: () => direct });
    try {
      const contenders = [
        await startGateway(
          { ...setup, servers: alone },
          { name: "own commit", mount: "listener", files },
        ),
        await startGateway(setup, { name: "shared commit", mount: "listener", files }),
      ];
      // One connection would need minutes to meet every device.
      const plan = { ...options, connections: 64, repeats: 0 };
      await measureLoads(contenders, plan);
      const repeats = options.repeats * 2;
      const lines = await measureLoads(contenders, {
        ...options,
        repeats,
        connections: 1,
        devices: 0,
      });
      const p50 = lines.find(({ what }) => what === "p50")?.values;
      const [before, after] = [p50?.get("own commit") ?? [], p50?.get("shared commit") ?? []];
      const { median, min, max } = spread(after.map((ms, n) => ms - (before[n] ?? Number.NaN)));
      const verdict = median <= maxMs ? "reached" : "missed";
      const ms = (value: number) => value.toFixed(3);
      const notes = [
        ...(await finishAll(contenders)),
        `p50 grows by ${ms(median)} ms (${ms(min)}–${ms(max)}); goal at most ${maxMs} ms: ${verdict}.`,
      ];
      return [{ title: p5.title, lines, notes }];
    } finally {
      alone.remove();
    }
  },
};
