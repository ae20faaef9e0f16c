import { useEffect } from "preact/hooks";
import { call } from "../api/call.js";
import { claimPath } from "../claim-path.js";
import { devicePath, Link } from "../router.js";
import { isOperator } from "../session.js";
import * as connectText from "../text/connect.js";
import { formatTime } from "../ui/format.js";
import { Card, Status } from "../ui/parts.js";
import { useLoad } from "../ui/use-load.js";

const pollMs = 3_000;

interface FirstContactProps {
  readonly deviceId: string;
  readonly claimCode: string;
}

/** Waits until the device has registered. Only operators see a device that nobody owns. */
function Waiting({ deviceId }: { deviceId: string }) {
  const { value, refresh } = useLoad(deviceId, (signal) =>
    call("inspectDevice", { params: { deviceId }, signal }),
  );
  useEffect(() => {
    const timer = setInterval(refresh, pollMs);
    return () => clearInterval(timer);
  }, [refresh]);
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

/** Shows whether the new device has reached the server, and leads to the claim. */
export function FirstContact({ deviceId, claimCode }: FirstContactProps) {
  return (
    <Card title={connectText.stepClaim} hint={connectText.stepClaimHint}>
      <div class="stack-small" role="status">
        {isOperator.value && <Waiting key={deviceId} deviceId={deviceId} />}
        <div>
          <Link to={claimPath({ deviceId, claimCode })} class="button primary">
            {connectText.claimDevice(deviceId)}
          </Link>
        </div>
      </div>
    </Card>
  );
}
