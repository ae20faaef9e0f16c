import type { DeviceSummary } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { readBearerHeaders } from "../api/account-calls.js";
import { type CallFailure, call } from "../api/call.js";
import { clearFleet } from "../fleet/fleet.js";
import { navigate } from "../router.js";
import { Confirm } from "../ui/confirm.js";
import { Card, ErrorNotice } from "../ui/parts.js";
import { showToast } from "../ui/toast.js";

export function ReleaseDevice({ device }: { device: DeviceSummary }) {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const release = async () => {
    setBusy(true);
    const headers = await readBearerHeaders();
    const reply = await call("releaseDevice", { params: { deviceId: device.id }, headers });
    setBusy(false);
    setAsking(false);
    if (!reply.ok) return setFailure(reply.failure);
    clearFleet();
    showToast(`Released ${device.name}.`);
    navigate("/", { replace: true });
  };
  return (
    <Card
      title="Release"
      hint="A released device has no owner, and anyone with its code can claim it. You no longer see its readings. The next owner never sees the earlier ones."
    >
      <div class="stack-small">
        <ErrorNotice failure={failure} />
        <div>
          <button type="button" class="button danger" onClick={() => setAsking(true)}>
            Release this device
          </button>
        </div>
      </div>
      {asking && (
        <Confirm
          title={`Release ${device.name}?`}
          action="Release device"
          busy={busy}
          onConfirm={() => void release()}
          onCancel={() => setAsking(false)}
        >
          <p class="muted">
            This deletes the device's name and configuration, and you lose access to its readings.
            You can't undo this.
          </p>
        </Confirm>
      )}
    </Card>
  );
}
