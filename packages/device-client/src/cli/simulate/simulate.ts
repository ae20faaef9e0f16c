import { reasonOf } from "../../reason-of.js";
import { systemRandom } from "../../system.js";
import { type CliContext, CliError, defineCommand, type Values } from "../command.js";
import { readServerUrl } from "../server-url.js";
import { createFleetOperator, eraseGateways } from "./erase-gateways.js";
import { findOtherVersions, findProblems } from "./find-problems.js";
import { createFleetStats, type FleetStats } from "./fleet-stats.js";
import { makeClaimCode } from "./make-claim-code.js";
import { readPinnedKey } from "./read-pinned-key.js";
import { runFleet } from "./run-fleet.js";
import { createSeededNumbers } from "./seeded-numbers.js";
import {
  type FleetPlan,
  readFleetPlan,
  simulateNotes,
  simulateOptions,
} from "./simulate-options.js";
import { createUpdatePermits } from "./virtual-firmware.js";
import { createVirtualGateway, type VirtualGateway } from "./virtual-gateway.js";

type SimulateValues = Values<typeof simulateOptions>;

/** Maximum number of images in memory. Other gateways update at a later reading. */
const maxConcurrentUpdates = 50;

async function createFleet(
  { now, fetch }: CliContext,
  values: SimulateValues,
  { profile, devices, seed, firmware }: FleetPlan,
  stats: FleetStats,
): Promise<readonly VirtualGateway[]> {
  const basePath = values["base-path"];
  const baseUrl = readServerUrl(values.url, basePath);
  const key = values.key === undefined ? null : await readPinnedKey(values.key);
  const permits = createUpdatePermits(maxConcurrentUpdates);
  const run = Date.now().toString(36);
  return Array.from({ length: devices }, (_, index) =>
    createVirtualGateway({
      deviceId: `${values.prefix}-${run}-${index + 1}`,
      claimCode: values["claim-code"] ?? makeClaimCode(systemRandom),
      targetHardware: values.target,
      random: createSeededNumbers(seed * 1_000_003 + index),
      ...{ baseUrl, basePath, fetch, firmware, profile, now, stats, key, permits },
    }),
  );
}

/** `device-gateway simulate`: runs a fleet over real HTTP, of which every reading must arrive. */
export const simulate = defineCommand({
  name: "simulate",
  summary: "Runs a fleet of virtual gateways against a server and checks that no reading is lost.",
  operands: [],
  options: simulateOptions,
  notes: simulateNotes,
  async run(context, { values }) {
    const plan = readFleetPlan(values);
    const stats = createFleetStats();
    const fleet = await createFleet(context, values, plan, stats);
    const erase = async () => {
      if (!values["clean-up"]) return;
      const operator = createFleetOperator(context, { ...values, token: values.token as string });
      const ids = fleet.map(({ deviceId }) => deviceId);
      await eraseGateways(context, operator, ids);
    };
    try {
      await runFleet(context, fleet, plan, stats);
      const problems = [...findProblems(stats), ...findOtherVersions(fleet, plan.expectedVersion)];
      if (problems.length > 0) throw new CliError(problems.join("\n"));
    } catch (fault) {
      await erase().catch((second: unknown) =>
        context.log(
          `Not all gateways are erased: ${reasonOf(second)}\nErase the rest later: device-gateway simulate clean-up`,
        ),
      );
      throw fault;
    }
    await erase();
    context.print("Every reading arrived exactly once.");
  },
});
