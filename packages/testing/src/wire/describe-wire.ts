import { describe, test } from "vitest";
import { alertCases } from "./alert-cases.js";
import { awkwardTextCases } from "./awkward-text-cases.js";
import { bulkCases } from "./bulk-cases.js";
import { claimCases } from "./claim-cases.js";
import { commandCases } from "./command-cases.js";
import { configCases } from "./config-cases.js";
import { conventionCases } from "./convention-cases.js";
import { deviceCases } from "./device-cases.js";
import { deviceSearchCases } from "./device-search-cases.js";
import { downloadCases } from "./download-cases.js";
import { exportCases } from "./export-cases.js";
import { faultCases } from "./fault-cases.js";
import { guardCases } from "./guard-cases.js";
import { historyCases } from "./history-cases.js";
import { historyLimitCases } from "./history-limit-cases.js";
import { metadataCases } from "./metadata-cases.js";
import { offerCases } from "./offer-cases.js";
import { operatorCases } from "./operator-cases.js";
import { ownershipCases } from "./ownership-cases.js";
import { presenceCases } from "./presence-cases.js";
import { refusalCases } from "./refusal-cases.js";
import { registeringAgainCases } from "./registering-again-cases.js";
import { releaseCases } from "./release-cases.js";
import { releaseListCases } from "./release-list-cases.js";
import { reportedUpdateCases } from "./reported-update-cases.js";
import { sessionCases } from "./session-cases.js";
import { telemetryCases } from "./telemetry-cases.js";
import { updateCases } from "./update-cases.js";
import { updateNowCases } from "./update-now-cases.js";
import { waitingCommandCases } from "./waiting-command-cases.js";
import { openWireWorld, type WireCase, type WireSetup } from "./wire-world.js";

const cases: readonly WireCase[] = [
  ...conventionCases,
  ...deviceCases,
  ...telemetryCases,
  ...reportedUpdateCases,
  ...configCases,
  ...claimCases,
  ...registeringAgainCases,
  ...ownershipCases,
  ...presenceCases,
  ...historyCases,
  ...historyLimitCases,
  ...refusalCases,
  ...exportCases,
  ...operatorCases,
  ...deviceSearchCases,
  ...bulkCases,
  ...metadataCases,
  ...alertCases,
  ...releaseCases,
  ...releaseListCases,
  ...downloadCases,
  ...offerCases,
  ...updateCases,
  ...guardCases,
  ...updateNowCases,
  ...commandCases,
  ...waitingCommandCases,
  ...sessionCases,
  ...faultCases,
  ...awkwardTextCases,
];

/**
 * Declares the wire suite for one transport and store as Vitest tests. Each case gets a new gateway and store.
 *
 * @example
 * describeWire("in process", { serve: serveInProcess, openStore });
 */
export function describeWire(name: string, setup: WireSetup): void {
  describe(`wire: ${name}`, () => {
    for (const { name: title, options, run } of cases) {
      test(title, async () => {
        const world = await openWireWorld(setup, options);
        try {
          await run(world);
        } finally {
          await world.close();
        }
      });
    }
  });
}
