import { useEffect, useState } from "preact/hooks";
import { call, isServerFailure } from "../api/call.js";
import { waitForDevice } from "../api/wait-for-device.js";
import { devicePath, Link } from "../router.js";
import { account, isOperator } from "../session.js";
import * as connectText from "../text/connect.js";
import { formatTime } from "../ui/format.js";
import { Card, Notice, Status } from "../ui/parts.js";
import { useLoad, useRefreshed } from "../ui/use-load.js";
import { ClaimFailure } from "./claim-failure.js";
import type { Label } from "./read-label.js";
import { openClaimed, useClaim } from "./use-claim.js";

const pollMs = 3_000;

/** Shows an operator whether the device has registered, and whether it has sent a record. */
function Registration({ deviceId }: { deviceId: string }) {
  const { value, failure } = useRefreshed(
    useLoad(deviceId, (signal) => call("inspectDevice", { params: { deviceId }, signal })),
    pollMs,
  );
  // The server does not know the device until it registers. An ID that is still being typed may not be valid.
  if (failure !== undefined && failure.code !== "device_not_found")
    return (
      <Status tone="plain">
        {isServerFailure(failure) ? connectText.waitingForServer : failure.message}
      </Status>
    );
  const device = value?.device;
  if (device === undefined)
    return <Status tone="plain">{connectText.waitingForRegistration}</Status>;
  return (
    <>
      <Status tone="good">{connectText.registeredAt(formatTime(device.registeredAt))}</Status>
      {device.firstUsedAt === null ? (
        <Status tone="plain">{connectText.waitingForRecord}</Status>
      ) : (
        <Status tone="good">{connectText.firstRequestAt(formatTime(device.firstUsedAt))}</Status>
      )}
      <div>
        <Link to={devicePath(deviceId)} class="button">
          {connectText.openDevice}
        </Link>
      </div>
    </>
  );
}

/** Waits until the device has registered. The server then gives it to the user, and its page opens. */
function Waiting({ deviceId, claimCode }: Label) {
  const [canWait, setCanWait] = useState(true);
  useEffect(() => {
    const stopping = new AbortController();
    const ask = async () => {
      if (document.visibilityState !== "visible") return;
      const claimed = await waitForDevice({ deviceId, claimCode }, stopping.signal);
      if (stopping.signal.aborted) return;
      setCanWait(claimed !== undefined);
      if (claimed === true) openClaimed(deviceId, connectText.registeredAndClaimed);
    };
    // An id that is being typed is not asked for.
    const timer = setInterval(() => void ask(), pollMs);
    return () => {
      stopping.abort();
      clearInterval(timer);
    };
  }, [deviceId, claimCode]);
  if (account.value?.emailVerified !== true)
    return <Notice tone="warn">{connectText.verifyFirst}</Notice>;
  return (
    <Status tone="plain">
      {canWait ? connectText.waitingToClaim : connectText.waitingForServer}
    </Status>
  );
}

/** Shows whether the new device has reached the server, and claims it. */
export function FirstContact({ deviceId, claimCode }: Label) {
  const { busy, failure, claim } = useClaim();
  const hint = isOperator.value ? connectText.stepClaimHint : connectText.stepWaitHint;
  return (
    <Card title={connectText.stepClaim} hint={hint}>
      <div class="stack-small">
        <div class="stack-small" role="status">
          {deviceId === "" ? (
            <Status tone="plain">{connectText.waitingForRegistration}</Status>
          ) : isOperator.value ? (
            <Registration key={deviceId} deviceId={deviceId} />
          ) : (
            <Waiting deviceId={deviceId} claimCode={claimCode} />
          )}
        </div>
        <div>
          <button
            type="button"
            class={`button wrap ${isOperator.value ? "primary" : ""}`}
            disabled={busy}
            onClick={() => void claim({ deviceId, claimCode })}
          >
            {connectText.claimDevice(deviceId)}
          </button>
        </div>
        <ClaimFailure failure={failure} />
      </div>
    </Card>
  );
}
