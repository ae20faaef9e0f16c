import { StoreUnavailableError } from "@device-gateway/core/store";
import { describe, expect, it } from "vitest";
import { alertDueCases } from "./alert-due-conformance.js";
import { alertEndingCases } from "./alert-ending-conformance.js";
import { alertEvaluationCases } from "./alert-evaluation-conformance.js";
import { alertNotificationCases } from "./alert-notification-conformance.js";
import { alertRuleCases } from "./alert-rule-conformance.js";
import { budgetCases } from "./budget-conformance.js";
import { budgetRefundCases } from "./budget-refund-conformance.js";
import { changeFeedCases } from "./change-feed-conformance.js";
import { commandCases } from "./command-conformance.js";
import { commandDeliveryCases } from "./command-delivery-conformance.js";
import { commandEndingCases } from "./command-ending-conformance.js";
import { claimCases } from "./device/claim-conformance.js";
import { configCases } from "./device/config-conformance.js";
import { deviceChangeCases } from "./device/device-change-conformance.js";
import { deviceCases } from "./device/device-conformance.js";
import { deviceListCases } from "./device/device-list-conformance.js";
import { deviceSearchCases } from "./device/device-search-conformance.js";
import { lifecycleCases } from "./device/lifecycle-conformance.js";
import { metadataCases } from "./device/metadata-conformance.js";
import { recordUseCases } from "./device/record-use-conformance.js";
import { releaseCases } from "./device/release-conformance.js";
import { removalCases } from "./device/removal-conformance.js";
import { revocationCases } from "./device/revocation-conformance.js";
import { rotateCases } from "./device/rotate-conformance.js";
import { followerCases } from "./follower-conformance.js";
import { firmwareReleaseCases } from "./ota/firmware-release-conformance.js";
import { otaEventCases } from "./ota/ota-event-conformance.js";
import { updateCommandCases } from "./ota/update-command-conformance.js";
import { updateCases } from "./ota/update-conformance.js";
import { updateGuardCases } from "./ota/update-guard-conformance.js";
import { type StoreCase, type StoreHandles, warmUp } from "./samples/store-case.js";
import { securityEventCases } from "./security-event-conformance.js";
import { appendCases } from "./telemetry/append-conformance.js";
import { appendOnceCases } from "./telemetry/append-once-conformance.js";
import { followCases } from "./telemetry/follow-conformance.js";
import { historyCases } from "./telemetry/history-conformance.js";
import { latestCases } from "./telemetry/latest-conformance.js";
import { metricCases } from "./telemetry/metric-conformance.js";
import { pruneCases } from "./telemetry/prune-conformance.js";
import { reclaimCases } from "./telemetry/reclaim-conformance.js";
import { refusalCases } from "./telemetry/refusal-conformance.js";
import { rollUpCases } from "./telemetry/rollup-conformance.js";
import { telemetryReadCases } from "./telemetry/telemetry-read-conformance.js";
import { webhookCases } from "./webhook-conformance.js";

/** Opens the store that the suite tests. */
export interface StoreHarness {
  /** Opens two handles over one empty storage. `dispose` closes both. */
  open(): Promise<{ readonly handles: StoreHandles; dispose(): Promise<void> }>;
}

/** A case that the suite skips, and the reason. */
export interface SkippedCase {
  readonly case: string;
  readonly reason: string;
}

/** Every case of the conformance suite. */
export const storeCases: readonly StoreCase[] = [
  ...deviceCases,
  ...deviceListCases,
  ...deviceSearchCases,
  ...deviceChangeCases,
  ...rotateCases,
  ...recordUseCases,
  ...revocationCases,
  ...removalCases,
  ...claimCases,
  ...releaseCases,
  ...configCases,
  ...metadataCases,
  ...metricCases,
  ...commandCases,
  ...commandDeliveryCases,
  ...commandEndingCases,
  ...appendCases,
  ...appendOnceCases,
  ...telemetryReadCases,
  ...followCases,
  ...latestCases,
  ...historyCases,
  ...rollUpCases,
  ...pruneCases,
  ...reclaimCases,
  ...refusalCases,
  ...otaEventCases,
  ...updateCases,
  ...updateGuardCases,
  ...updateCommandCases,
  ...firmwareReleaseCases,
  ...budgetCases,
  ...budgetRefundCases,
  ...alertRuleCases,
  ...alertNotificationCases,
  ...alertEndingCases,
  ...alertEvaluationCases,
  ...alertDueCases,
  ...securityEventCases,
  ...changeFeedCases,
  ...followerCases,
  ...webhookCases,
  ...lifecycleCases,
];

async function runOnce(storeCase: StoreCase, harness: StoreHarness): Promise<void> {
  const { handles, dispose } = await harness.open();
  try {
    if (storeCase.races) await warmUp(handles);
    await storeCase.run(handles);
  } finally {
    await dispose();
  }
}

/** How often a case is run if calls of the store do not end in time. */
const mostTries = 5;

/**
 * Runs one case over two handles. Rejects if the store breaks the promise. On a busy machine, calls may reach the
 * store's deadline, which breaks no promise. Then the case begins again with an empty storage, up to four times.
 *
 * @example
 * for (const storeCase of storeCases) await runStoreCase(storeCase, harness);
 */
export async function runStoreCase(storeCase: StoreCase, harness: StoreHarness): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await runOnce(storeCase, harness);
    } catch (error) {
      if (!(error instanceof StoreUnavailableError) || tries === mostTries) throw error;
    }
  }
}

/**
 * Declares the whole conformance suite for a store as Vitest tests.
 *
 * @example
 * describeStoreConformance("my store", {
 *   open: async () => {
 *     const url = await createEmptyDatabase();
 *     const handles = [await openMyStore(url), await openMyStore(url)] as const;
 *     return { handles, dispose: () => dropDatabase(url) };
 *   },
 * });
 */
export function describeStoreConformance(
  name: string,
  harness: StoreHarness,
  { skip = [] }: { readonly skip?: readonly SkippedCase[] } = {},
): void {
  describe(`${name} conforms to the store ports`, () => {
    it("every skipped case exists", () => {
      const names = storeCases.map((storeCase) => storeCase.name);
      expect(names).toEqual(expect.arrayContaining(skip.map((skipped) => skipped.case)));
    });
    for (const storeCase of storeCases) {
      const skipped = skip.find((candidate) => candidate.case === storeCase.name);
      if (skipped) it.skip(`${storeCase.name} (skipped: ${skipped.reason})`, () => {});
      else it(storeCase.name, () => runStoreCase(storeCase, harness));
    }
  });
}
