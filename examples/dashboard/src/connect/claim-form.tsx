import { useState } from "preact/hooks";
import { lazy } from "../lazy.js";
import { account } from "../session.js";
import * as claimText from "../text/claim.js";
import { Field } from "../ui/parts.js";
import { canScan } from "./can-scan.js";
import { ClaimFailure } from "./claim-failure.js";
import { type Label, readLabel } from "./read-label.js";
import { useClaim } from "./use-claim.js";

const ScanLabel = lazy(async () => (await import("./scan-label.js")).ScanLabel);

interface ClaimFormProps {
  /** What a claim link filled in. */
  readonly label?: Label | undefined;
}

/** Claims a gateway by its label: typed, scanned, or pasted as the link that its QR code contains. */
export function ClaimForm({ label = { deviceId: "", claimCode: "" } }: ClaimFormProps) {
  const [{ deviceId, claimCode }, setLabel] = useState(label);
  const [scanning, setScanning] = useState(false);
  const { busy, failure, claim } = useClaim();
  const onDeviceId = (text: string) => setLabel(readLabel(text) ?? { deviceId: text, claimCode });
  const isFilled = label.deviceId !== "";
  return (
    <>
      {canScan() && (
        <button type="button" class="button wide" onClick={() => setScanning(true)}>
          {claimText.scanTheLabel}
        </button>
      )}
      {scanning && (
        <ScanLabel
          onLabel={(scanned) => {
            setScanning(false);
            setLabel(scanned);
          }}
          onCancel={() => setScanning(false)}
        />
      )}
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void claim({ deviceId: deviceId.trim(), claimCode });
        }}
      >
        <Field
          id="device-id"
          name="deviceId"
          label={claimText.deviceId}
          value={deviceId}
          onInput={onDeviceId}
          class="mono"
          autocomplete="off"
          spellcheck={false}
          maxLength={2_000}
          focused={!isFilled}
          required
        />
        <Field
          id="claim-code"
          name="claimCode"
          label={claimText.claimCode}
          value={claimCode}
          onInput={(text) => setLabel({ deviceId, claimCode: text })}
          class="code-input"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          placeholder={claimText.claimCodeExample}
          maxLength={128}
          hint={claimText.claimCodeHint}
          required
        />
        <button type="submit" class="button primary wide" disabled={busy}>
          {busy ? claimText.claiming : claimText.claimThisGateway}
        </button>
        {account.value?.emailVerified !== true && (
          <p class="small muted">{claimText.verifyFirst}</p>
        )}
        <ClaimFailure failure={failure} />
      </form>
    </>
  );
}
