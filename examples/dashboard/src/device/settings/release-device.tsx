import type { DeviceSummary } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import type { CallFailure } from "../../api/call.js";
import { callWithToken } from "../../api/call-with-token.js";
import { clearFleet } from "../../fleet/fleet.js";
import { navigate } from "../../router.js";
import * as deviceSettingsText from "../../text/device-settings.js";
import { Confirm } from "../../ui/confirm.js";
import { Card, ErrorNotice } from "../../ui/parts.js";
import { showToast } from "../../ui/toast.js";

export function ReleaseDevice({ device }: { device: DeviceSummary }) {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const release = async () => {
    setBusy(true);
    const reply = await callWithToken("releaseDevice", { params: { deviceId: device.id } });
    setBusy(false);
    setAsking(false);
    if (!reply.ok) return setFailure(reply.failure);
    clearFleet();
    showToast(deviceSettingsText.released(device.name));
    navigate("/", { replace: true });
  };
  return (
    <Card title={deviceSettingsText.release} hint={deviceSettingsText.releaseHint}>
      <div class="stack-small">
        <ErrorNotice failure={failure} />
        <div>
          <button type="button" class="button danger" onClick={() => setAsking(true)}>
            {deviceSettingsText.releaseThisDevice}
          </button>
        </div>
      </div>
      {asking && (
        <Confirm
          title={deviceSettingsText.confirmRelease(device.name)}
          action={deviceSettingsText.releaseDevice}
          busy={busy}
          onConfirm={() => void release()}
          onCancel={() => setAsking(false)}
        >
          <p class="muted">{deviceSettingsText.confirmReleaseHint}</p>
        </Confirm>
      )}
    </Card>
  );
}
