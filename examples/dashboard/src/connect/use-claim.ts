import { useState } from "preact/hooks";
import { readBearerHeaders } from "../api/account-calls.js";
import { type CallFailure, call } from "../api/call.js";
import { clearFleet } from "../fleet/fleet.js";
import { devicePath, navigate } from "../router.js";
import * as claimText from "../text/claim.js";
import { showToast } from "../ui/toast.js";
import type { Label } from "./read-label.js";

/** Opens the page of a device that the user has just claimed. */
export function openClaimed(deviceId: string, message: string): void {
  clearFleet();
  showToast(message);
  navigate(devicePath(deviceId), { replace: true });
}

/** Claims a device, and opens its page. */
export function useClaim() {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const claim = async (label: Label) => {
    setBusy(true);
    setFailure(undefined);
    const headers = await readBearerHeaders();
    const reply = await call("claimDevice", { body: label, headers });
    setBusy(false);
    if (!reply.ok) return setFailure(reply.failure);
    const isNew = reply.value.status === "claimed";
    openClaimed(label.deviceId, isNew ? claimText.gatewayClaimed : claimText.alreadyOwned);
  };
  return { busy, failure, claim };
}
