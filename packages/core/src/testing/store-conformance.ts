import { describe, expect, it } from "vitest";
import { appendCases } from "./conformance/append-conformance.js";
import { appendOnceCases } from "./conformance/append-once-conformance.js";
import { budgetCases } from "./conformance/budget-conformance.js";
import { budgetReturnCases } from "./conformance/budget-return-conformance.js";
import { changeFeedCases } from "./conformance/change-feed-conformance.js";
import { claimCases } from "./conformance/claim-conformance.js";
import { configCases } from "./conformance/config-conformance.js";
import { credentialCases } from "./conformance/credential-conformance.js";
import { deviceChangeCases } from "./conformance/device-change-conformance.js";
import { deviceCases } from "./conformance/device-conformance.js";
import { deviceListCases } from "./conformance/device-list-conformance.js";
import { firmwareReleaseCases } from "./conformance/firmware-release-conformance.js";
import { historyCases } from "./conformance/history-conformance.js";
import { latestCases } from "./conformance/latest-conformance.js";
import { lifecycleCases } from "./conformance/lifecycle-conformance.js";
import { otaEventCases } from "./conformance/ota-event-conformance.js";
import { reclaimCases } from "./conformance/reclaim-conformance.js";
import { releaseCases } from "./conformance/release-conformance.js";
import { removalCases } from "./conformance/removal-conformance.js";
import { revocationCases } from "./conformance/revocation-conformance.js";
import { rollUpCases } from "./conformance/rollup-conformance.js";
import { securityEventCases } from "./conformance/security-event-conformance.js";
import { type StoreCase, type StoreHandles, warmUp } from "./conformance/store-case.js";
import { telemetryReadCases } from "./conformance/telemetry-read-conformance.js";
import { updateCommandCases } from "./conformance/update-command-conformance.js";
import { updateCases } from "./conformance/update-conformance.js";
import { updateGuardCases } from "./conformance/update-guard-conformance.js";

/** What the suite needs of a store under test. */
export interface StoreHarness {
  /** Opens two handles over one storage that holds nothing yet; `dispose` closes both. */
  open(): Promise<{ readonly handles: StoreHandles; dispose(): Promise<void> }>;
}

/** A case that a store does not pass, and why that is right. */
export interface SkippedCase {
  readonly case: string;
  readonly reason: string;
}

/** Every promise that the store ports make. */
export const storeCases: readonly StoreCase[] = [
  ...deviceCases,
  ...deviceListCases,
  ...deviceChangeCases,
  ...credentialCases,
  ...revocationCases,
  ...removalCases,
  ...claimCases,
  ...releaseCases,
  ...configCases,
  ...appendCases,
  ...appendOnceCases,
  ...telemetryReadCases,
  ...latestCases,
  ...historyCases,
  ...rollUpCases,
  ...reclaimCases,
  ...otaEventCases,
  ...updateCases,
  ...updateGuardCases,
  ...updateCommandCases,
  ...firmwareReleaseCases,
  ...budgetCases,
  ...budgetReturnCases,
  ...securityEventCases,
  ...changeFeedCases,
  ...lifecycleCases,
];

/** Runs one case over two warm handles; rejects when the store breaks the promise. */
export async function runStoreCase(storeCase: StoreCase, harness: StoreHarness): Promise<void> {
  const { handles, dispose } = await harness.open();
  try {
    await warmUp(handles);
    await storeCase.run(handles);
  } finally {
    await dispose();
  }
}

/** Declares the whole conformance suite for a store, as vitest tests. */
export function describeStoreConformance(
  name: string,
  harness: StoreHarness,
  { skip = [] }: { readonly skip?: readonly SkippedCase[] } = {},
): void {
  describe(`${name} keeps the promises of the store ports`, () => {
    it("skips only cases that there are", () => {
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
