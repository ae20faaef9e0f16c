import { describe, test } from "vitest";
import { alertCases } from "./alert-cases.js";
import { awkwardTextCases } from "./awkward-text-cases.js";
import { bulkCases } from "./bulk-cases.js";
import { commandCases } from "./command-cases.js";
import { conventionCases } from "./convention-cases.js";
import { claimCases } from "./device/claim-cases.js";
import { configCases } from "./device/config-cases.js";
import { deviceCases } from "./device/device-cases.js";
import { deviceSearchCases } from "./device/device-search-cases.js";
import { metadataCases } from "./device/metadata-cases.js";
import { ownerChangeCases } from "./device/owner-change-cases.js";
import { ownershipCases } from "./device/ownership-cases.js";
import { presenceCases } from "./device/presence-cases.js";
import { registeringAgainCases } from "./device/registering-again-cases.js";
import { faultCases } from "./fault-cases.js";
import { guardCases } from "./guard-cases.js";
import { operatorCases } from "./operator-cases.js";
import { downloadCases } from "./ota/download-cases.js";
import { downloadLimitCases } from "./ota/download-limit-cases.js";
import { offerCases } from "./ota/offer-cases.js";
import { releaseCases } from "./ota/release-cases.js";
import { releaseListCases } from "./ota/release-list-cases.js";
import { reportedUpdateCases } from "./ota/reported-update-cases.js";
import { updateCases } from "./ota/update-cases.js";
import { updateCommandCases } from "./ota/update-command-cases.js";
import { updateNowCases } from "./ota/update-now-cases.js";
import { sessionCases } from "./session-cases.js";
import { exportCases } from "./telemetry/export-cases.js";
import { historyCases } from "./telemetry/history-cases.js";
import { historyLimitCases } from "./telemetry/history-limit-cases.js";
import { metricCases } from "./telemetry/metric-cases.js";
import { refusalCases } from "./telemetry/refusal-cases.js";
import { telemetryCases } from "./telemetry/telemetry-cases.js";
import { telemetryLimitCases } from "./telemetry/telemetry-limit-cases.js";
import { waitingCommandCases } from "./waiting-command-cases.js";
import { webhookCases } from "./webhook-cases.js";
import { openWireWorld, type WireCase, type WireSetup } from "./world/wire-world.js";

const cases: readonly WireCase[] = [
  ...conventionCases,
  ...deviceCases,
  ...telemetryCases,
  ...telemetryLimitCases,
  ...reportedUpdateCases,
  ...configCases,
  ...claimCases,
  ...registeringAgainCases,
  ...ownershipCases,
  ...ownerChangeCases,
  ...presenceCases,
  ...historyCases,
  ...historyLimitCases,
  ...refusalCases,
  ...exportCases,
  ...operatorCases,
  ...deviceSearchCases,
  ...bulkCases,
  ...metadataCases,
  ...metricCases,
  ...alertCases,
  ...webhookCases,
  ...releaseCases,
  ...releaseListCases,
  ...downloadCases,
  ...downloadLimitCases,
  ...offerCases,
  ...updateCases,
  ...guardCases,
  ...updateNowCases,
  ...updateCommandCases,
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
    for (const { name: title, options, webhooks, run } of cases) {
      test(title, async () => {
        const world = await openWireWorld(setup, options, webhooks);
        try {
          await run(world);
        } finally {
          await world.close();
        }
      });
    }
  });
}
