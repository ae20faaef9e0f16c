import { describe, expect, it } from "vitest";
import { alertEvaluationCases } from "./alert-evaluation-conformance.js";
import { alertRuleCases } from "./alert-rule-conformance.js";
import { appendCases } from "./append-conformance.js";
import { appendOnceCases } from "./append-once-conformance.js";
import { budgetCases } from "./budget-conformance.js";
import { budgetRefundCases } from "./budget-refund-conformance.js";
import { changeFeedCases } from "./change-feed-conformance.js";
import { claimCases } from "./claim-conformance.js";
import { commandCases } from "./command-conformance.js";
import { commandDeliveryCases } from "./command-delivery-conformance.js";
import { configCases } from "./config-conformance.js";
import { deviceChangeCases } from "./device-change-conformance.js";
import { deviceCases } from "./device-conformance.js";
import { deviceListCases } from "./device-list-conformance.js";
import { deviceSearchCases } from "./device-search-conformance.js";
import { firmwareReleaseCases } from "./firmware-release-conformance.js";
import { followCases } from "./follow-conformance.js";
import { followerCases } from "./follower-conformance.js";
import { historyCases } from "./history-conformance.js";
import { latestCases } from "./latest-conformance.js";
import { lifecycleCases } from "./lifecycle-conformance.js";
import { metadataCases } from "./metadata-conformance.js";
import { otaEventCases } from "./ota-event-conformance.js";
import { reclaimCases } from "./reclaim-conformance.js";
import { recordUseCases } from "./record-use-conformance.js";
import { refusalCases } from "./refusal-conformance.js";
import { releaseCases } from "./release-conformance.js";
import { removalCases } from "./removal-conformance.js";
import { revocationCases } from "./revocation-conformance.js";
import { rollUpCases } from "./rollup-conformance.js";
import { rotateCases } from "./rotate-conformance.js";
import { securityEventCases } from "./security-event-conformance.js";
import { type StoreCase, type StoreHandles, warmUp } from "./store-case.js";
import { telemetryReadCases } from "./telemetry-read-conformance.js";
import { updateCommandCases } from "./update-command-conformance.js";
import { updateCases } from "./update-conformance.js";
import { updateGuardCases } from "./update-guard-conformance.js";
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
  ...commandCases,
  ...commandDeliveryCases,
  ...appendCases,
  ...appendOnceCases,
  ...telemetryReadCases,
  ...followCases,
  ...latestCases,
  ...historyCases,
  ...rollUpCases,
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
  ...alertEvaluationCases,
  ...securityEventCases,
  ...changeFeedCases,
  ...followerCases,
  ...webhookCases,
  ...lifecycleCases,
];

/**
 * Runs one case over two handles with open connections. Rejects if the store breaks the promise.
 *
 * @example
 * for (const storeCase of storeCases) await runStoreCase(storeCase, harness);
 */
export async function runStoreCase(storeCase: StoreCase, harness: StoreHarness): Promise<void> {
  const { handles, dispose } = await harness.open();
  try {
    await warmUp(handles);
    await storeCase.run(handles);
  } finally {
    await dispose();
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
