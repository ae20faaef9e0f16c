import type { Section } from "../measure.js";
import { attributeProfile, type CpuProfile } from "./attribute-profile.js";
import { configPath, startUnchanged } from "./cases/p7.js";
import { recordFiles } from "./cases/record-files.js";
import { answersOf, type Contender, startGateway } from "./contender.js";
import { measureLoads } from "./measure-loads.js";
import type { SpeedCase, SpeedOptions } from "./speed-case.js";

const shownFunctions = 30;

function toSection(title: string, sums: ReadonlyMap<string, number>, requests: number, most = 99) {
  const total = [...sums.values()].reduce((sum, us) => sum + us, 0);
  const rows = [...sums].sort(([, a], [, b]) => b - a).slice(0, most);
  const lines = rows.map(([what, us]) => ({
    what,
    unit: "",
    plain: true,
    values: new Map([
      ["µs a request", [us / requests]],
      ["%", [(us / total) * 100]],
    ]),
  }));
  return { title, lines, notes: [] };
}

/** Says where a gateway's main thread is under load, part by part and function by function. */
async function profileGateway(
  contender: Contender,
  what: string,
  options: SpeedOptions,
): Promise<readonly Section[]> {
  const { server } = contender;
  // Warm, and every device met.
  await measureLoads([contender], { ...options, repeats: 1, connections: 64 });
  const before = await server.usage();
  await server.ask("startProfile");
  await measureLoads([contender], { ...options, connections: 64, devices: 0 });
  const profile = await server.ask<CpuProfile>("stopProfile");
  const after = await server.usage();
  const requests = answersOf(after) - answersOf(before);
  const { parts, functions, idle } = attributeProfile(profile);
  const notes = [
    ...(await contender.finish()),
    `${requests} requests, ${Math.round((after.cpuUs - before.cpuUs) / requests)} µs of CPU each over all threads, the profiler's own among them; idle for ${Math.round(idle / 1e3)} ms.`,
    "Time of the main thread, waiting for the disk included.",
  ];
  return [
    { ...toSection(`Where ${what} time goes`, parts, requests), notes },
    toSection("The functions that take most", functions, requests, shownFunctions),
  ];
}

const ingestProfile = (title: string, mount: "listener" | "express"): SpeedCase => ({
  title,
  async run(setup, options) {
    const files = recordFiles(setup);
    const contender = await startGateway(setup, { name: "gateway", mount, files });
    return profileGateway(contender, "P1's", options);
  },
});

/** What a gateway's time goes into, by the name of the command that tells it. */
export const profiles: Readonly<Record<string, SpeedCase>> = {
  profile: ingestProfile("Profile of P1, plain", "listener"),
  "profile-express": ingestProfile("Profile of P1 inside Express", "express"),
  "profile-config": {
    title: "Profile of P7's configuration",
    async run(setup, options) {
      const { gateway } = await startUnchanged(setup, configPath);
      return profileGateway(gateway, "P7's", options);
    },
  },
};
