import { generateSecrets } from "@device-gateway/core";
import type { Section } from "../measure.js";
import { renderSection } from "../table.js";
import { type BuiltServers, buildServers } from "./build-servers.js";
import { alerts } from "./cases/alerts.js";
import { cells } from "./cases/cells.js";
import { p1 } from "./cases/p1.js";
import { p2 } from "./cases/p2.js";
import { p3 } from "./cases/p3.js";
import { p4 } from "./cases/p4.js";
import { p5 } from "./cases/p5.js";
import { p6 } from "./cases/p6.js";
import { p7 } from "./cases/p7.js";
import { p8 } from "./cases/p8.js";
import { p9 } from "./cases/p9.js";
import { p10 } from "./cases/p10.js";
import { p11 } from "./cases/p11.js";
import { p14 } from "./cases/p14.js";
import { storm } from "./cases/storm.js";
import { yardstick } from "./cases/yardstick.js";
import { canPin } from "./machine/cores.js";
import { createScratch } from "./machine/scratch.js";
import { profiles } from "./profile-bench.js";
import { seedFleet } from "./seed/seed-fleet.js";
import type { SpeedCase, SpeedOptions } from "./speed-case.js";
import { startStoreHost } from "./store/start-store-host.js";
import type { StoreKind } from "./store/store-place.js";

export const speedCases: Readonly<Record<string, SpeedCase>> = {
  ...{ p1, p2, p3, p4, p5 },
  ...{ p6, p7, p8, p9, p10, p11, p14 },
};

export interface SpeedBenchOptions extends SpeedOptions {
  readonly cases: readonly string[];
  readonly kind: StoreKind;
  /** URL of a Postgres superuser. Default: the run starts its own server. */
  readonly databaseUrl?: string;
  readonly markdown: boolean;
  /** Programs of an earlier call of `buildServers`, which the caller removes. Default: builds them. */
  readonly servers?: BuiltServers;
  readonly print: (text: string) => void;
}

/** All cases and profiles by their command names. */
export const speedCommands: Readonly<Record<string, SpeedCase>> = {
  ...speedCases,
  alerts,
  cells,
  storm,
  yardstick,
  ...profiles,
};

/** Runs the cases in order and prints the table of each when it is done. */
export async function runSpeedBench(options: SpeedBenchOptions): Promise<readonly Section[]> {
  const { cases, kind, markdown, print, devices, progress } = options;
  if (!canPin) print("taskset is not available: servers and generator share the cores.\n");
  const scratch = createScratch("disk");
  const servers = options.servers ?? (await buildServers());
  const host = await startStoreHost(kind, scratch.folder, {
    databaseUrl: options.databaseUrl,
    tracksStatements: cases.some((name) => name in profiles),
  });
  const sections: Section[] = [];
  try {
    progress(`registering ${devices} devices`);
    const fleet = await seedFleet(host, scratch.folder, devices, generateSecrets());
    const setup = { host, folder: scratch.folder, servers, fleet };
    for (const name of cases) {
      const speedCase = speedCommands[name];
      if (speedCase === undefined)
        throw new Error(
          `There is no case "${name}". Cases: ${Object.keys(speedCommands).join(", ")}.`,
        );
      if (speedCase.stores?.includes(kind) === false) {
        print(`${speedCase.title}: not for ${kind}.\n`);
        continue;
      }
      for (const section of await speedCase.run(setup, options)) {
        print(`${renderSection(section, markdown)}\n`);
        sections.push(section);
      }
    }
    return sections;
  } finally {
    await host.close();
    if (options.servers === undefined) servers.remove();
    scratch.remove();
  }
}
