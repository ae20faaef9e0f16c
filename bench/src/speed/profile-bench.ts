import type { Section } from "../measure.js";
import { configPath, startUnchanged } from "./cases/p7.js";
import { recordFiles } from "./cases/record-files.js";
import {
  answersOf,
  type Contender,
  type GatewayStart,
  type SpeedSetup,
  startGateway,
} from "./contender.js";
import { measureLoads } from "./measure-loads.js";
import { attributeProfile, type CpuProfile } from "./profile/attribute-profile.js";
import type { SpeedCase, SpeedOptions } from "./speed-case.js";
import type { StatementTime } from "./store/store-host.js";

const shownFunctions = 30;
const shownStatements = 12;
const shownCharacters = 80;

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

/** Returns the time of each statement between two readings, the longest first. */
function toStatements(
  before: readonly StatementTime[],
  after: readonly StatementTime[],
  requests: number,
): readonly Section[] {
  const earlier = new Map(before.map((time) => [time.text, time]));
  const spent = after.map(({ text, calls, planningUs, runningUs }) => {
    const then = earlier.get(text) ?? { calls: 0, planningUs: 0, runningUs: 0 };
    return {
      text: text.replaceAll(/\s+/g, " ").slice(0, shownCharacters),
      values: new Map([
        ["calls a request", [(calls - then.calls) / requests]],
        ["planned, µs a request", [(planningUs - then.planningUs) / requests]],
        ["run, µs a request", [(runningUs - then.runningUs) / requests]],
      ]),
      total: planningUs - then.planningUs + runningUs - then.runningUs,
    };
  });
  if (spent.length === 0) return [];
  const most = spent.sort((a, b) => b.total - a.total).slice(0, shownStatements);
  const lines = most.map(({ text, values }) => ({ what: text, unit: "", plain: true, values }));
  const notes = ["Time by the clock, including waits for the disk and for a busy core."];
  return [{ title: "The database's statements", lines, notes }];
}

/** Profiles a gateway's main thread under load, by part and by function. */
async function profileGateway(
  { host }: SpeedSetup,
  contender: Contender,
  what: string,
  options: SpeedOptions,
): Promise<readonly Section[]> {
  const { server } = contender;
  // Warms up, and meets every device.
  await measureLoads([contender], { ...options, repeats: 1, connections: 64 });
  const before = await server.usage();
  const databaseBefore = contender.databaseCpuUs();
  const statementsBefore = await host.statementTimes();
  await server.ask("startProfile");
  await measureLoads([contender], { ...options, connections: 64, devices: 0 });
  const profile = await server.ask<CpuProfile>("stopProfile");
  const after = await server.usage();
  const requests = answersOf(after) - answersOf(before);
  const databaseUs = contender.databaseCpuUs() - databaseBefore;
  const statements = toStatements(statementsBefore, await host.statementTimes(), requests);
  const { parts, functions, idle } = attributeProfile(profile);
  const notes = [
    ...(await contender.finish()),
    `${requests} requests, ${Math.round((after.cpuUs - before.cpuUs) / requests)} µs of CPU each over all threads, the profiler's included; idle for ${Math.round(idle / 1e3)} ms.`,
    ...(databaseUs > 0
      ? [`The database's processes: ${Math.round(databaseUs / requests)} µs of CPU a request.`]
      : []),
    "Time of the main thread, including waits for the disk.",
  ];
  return [
    { ...toSection(`Where the time of ${what} goes`, parts, requests), notes },
    toSection("The functions that take most", functions, requests, shownFunctions),
    ...statements,
  ];
}

const ingestProfile = (title: string, mount: GatewayStart["mount"]): SpeedCase => ({
  title,
  async run(setup, options) {
    const files = recordFiles(setup);
    const contender = await startGateway(setup, { name: "gateway", mount, files });
    return profileGateway(setup, contender, "P1", options);
  },
});

/** The profiles by their command names. */
export const profiles: Readonly<Record<string, SpeedCase>> = {
  profile: ingestProfile("Profile of P1, plain", "listener"),
  "profile-bundled": ingestProfile("Profile of P1 on the bundled server", "bundled"),
  "profile-express": ingestProfile("Profile of P1 inside Express", "express"),
  "profile-config": {
    title: "Profile of P7's configuration",
    async run(setup, options) {
      const { gateway } = await startUnchanged(setup, configPath, options);
      return profileGateway(setup, gateway, "P7", options);
    },
  },
};
