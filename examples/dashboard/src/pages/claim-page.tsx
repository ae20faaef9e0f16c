import { useState } from "preact/hooks";
import { readBearerHeaders } from "../api/account-calls.js";
import { type CallFailure, call } from "../api/call.js";
import { claimPath } from "../claim-path.js";
import { canScan } from "../connect/can-scan.js";
import type { Label } from "../connect/read-label.js";
import { clearFleet } from "../fleet/fleet.js";
import { lazy } from "../lazy.js";
import { devicePath, navigate, place } from "../router.js";
import { account } from "../session.js";
import * as claimText from "../text/claim.js";
import { formatDuration } from "../ui/format.js";
import { ErrorNotice, Field, Notice } from "../ui/parts.js";
import { useTitle } from "../ui/title.js";
import { showToast } from "../ui/toast.js";

/** Returns the error's sentence. For some errors the page gives more advice than the API. */
function explain({ code, message, retryAfterSeconds }: CallFailure): string {
  if (code === "too_many_attempts" && retryAfterSeconds !== undefined) {
    return claimText.tooManyWrongCodes(formatDuration(retryAfterSeconds));
  }
  if (code === "invalid_claim") {
    return claimText.invalidClaim;
  }
  return message;
}

const ScanLabel = lazy(async () => (await import("../connect/scan-label.js")).ScanLabel);

export function ClaimPage() {
  useTitle(claimText.claimAGateway);
  const { query } = place.value;
  const fromLink = query.has("device") && query.has("code");
  const [scanning, setScanning] = useState(false);
  const onLabel = (label: Label) => {
    setScanning(false);
    navigate(claimPath(label), { replace: true });
  };
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const claim = async (event: SubmitEvent) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    const deviceId = String(fields.get("deviceId")).trim();
    setBusy(true);
    setFailure(undefined);
    const headers = await readBearerHeaders();
    const body = { deviceId, claimCode: String(fields.get("claimCode")) };
    const reply = await call("claimDevice", { body, headers });
    setBusy(false);
    if (!reply.ok) return setFailure(reply.failure);
    clearFleet();
    showToast(reply.value.status === "claimed" ? claimText.gatewayClaimed : claimText.alreadyOwned);
    navigate(devicePath(deviceId), { replace: true });
  };
  const verified = account.value?.emailVerified === true;
  return (
    <div class="narrow">
      <div class="stack-small">
        <h1>{claimText.claimAGateway}</h1>
        <p class="muted">{fromLink ? claimText.filledByLink : claimText.enterDetails}</p>
      </div>
      {canScan() && (
        <button type="button" class="button wide" onClick={() => setScanning(true)}>
          {claimText.scanTheLabel}
        </button>
      )}
      {scanning && <ScanLabel onLabel={onLabel} onCancel={() => setScanning(false)} />}
      {/* The key fills in the fields again after a scan. */}
      <form
        key={query.toString()}
        class="card card-body form"
        onSubmit={(event) => void claim(event)}
      >
        <Field
          id="device-id"
          name="deviceId"
          label={claimText.deviceId}
          defaultValue={query.get("device") ?? ""}
          class="mono"
          autocomplete="off"
          spellcheck={false}
          maxLength={128}
          required
        />
        <Field
          id="claim-code"
          name="claimCode"
          label={claimText.claimCode}
          defaultValue={query.get("code") ?? ""}
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
        {!verified && <p class="small muted">{claimText.verifyFirst}</p>}
        {failure && <ErrorNotice failure={{ message: explain(failure) }} />}
        {failure?.code === "already_claimed" && <Notice>{claimText.askFormerOwner}</Notice>}
      </form>
    </div>
  );
}
