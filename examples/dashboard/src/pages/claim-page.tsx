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
import { formatDuration } from "../ui/format.js";
import { ErrorNotice, Field, Notice } from "../ui/parts.js";
import { useTitle } from "../ui/title.js";
import { showToast } from "../ui/toast.js";

/** Returns the error's sentence. For some errors the page gives more advice than the API. */
function explain({ code, message, retryAfterSeconds }: CallFailure): string {
  if (code === "too_many_attempts" && retryAfterSeconds !== undefined) {
    return `Too many wrong codes. Try again in ${formatDuration(retryAfterSeconds)}. The code on the label stays valid.`;
  }
  if (code === "invalid_claim") {
    return "The device ID and code do not match a registered gateway. Check both on its label, and make sure that the gateway has been online.";
  }
  return message;
}

const ScanLabel = lazy(async () => (await import("../connect/scan-label.js")).ScanLabel);

export function ClaimPage() {
  useTitle("Claim a gateway");
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
    showToast(
      reply.value.status === "claimed" ? "Gateway claimed." : "You already own this gateway.",
    );
    navigate(devicePath(deviceId), { replace: true });
  };
  const verified = account.value?.emailVerified === true;
  return (
    <div class="narrow">
      <div class="stack-small">
        <h1>Claim a gateway</h1>
        <p class="muted">
          {fromLink
            ? "The link filled in the details from the label. Claim the gateway to see its readings."
            : "Enter the details from its label, or scan the QR code with your phone's camera."}
        </p>
      </div>
      {canScan() && (
        <button type="button" class="button wide" onClick={() => setScanning(true)}>
          Scan the label
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
          label="Device ID"
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
          label="Claim code"
          defaultValue={query.get("code") ?? ""}
          class="code-input"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          placeholder="ABCD-EFGH"
          maxLength={128}
          hint="Upper or lower case, with or without hyphens."
          required
        />
        <button type="submit" class="button primary wide" disabled={busy}>
          {busy ? "Claiming…" : "Claim this gateway"}
        </button>
        {!verified && (
          <p class="small muted">
            Verify your e-mail address first. This page keeps the code for you.
          </p>
        )}
        {failure && <ErrorNotice failure={{ message: explain(failure) }} />}
        {failure?.code === "already_claimed" && (
          <Notice>If you bought it from its former owner, ask them to release it first.</Notice>
        )}
      </form>
    </div>
  );
}
