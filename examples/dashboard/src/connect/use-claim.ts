import { useState } from "preact/hooks";
import type { CallFailure } from "../api/call.js";
import { callWithToken } from "../api/call-with-token.js";
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
    const reply = await callWithToken("claimDevice", { body: label });
    setBusy(false);
    if (!reply.ok) return setFailure(reply.failure);
    const isNew = reply.value.status === "claimed";
    openClaimed(label.deviceId, isNew ? claimText.gatewayClaimed : claimText.alreadyOwned);
  };
  return { busy, failure, claim };
}
