import type { DeviceSummary } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { type CallFailure, call } from "../../api/call.js";
import { clearFleet } from "../../fleet/fleet.js";
import { navigate } from "../../router.js";
import * as deviceSettingsText from "../../text/device-settings.js";
import { Confirm } from "../../ui/confirm.js";
import { Card, ErrorNotice } from "../../ui/parts.js";
import { showToast } from "../../ui/toast.js";

/** Lets an operator delete a device and its readings, and block its ID. */
export function EraseDevice({ device }: { readonly device: DeviceSummary }) {
  const [asking, setAsking] = useState(false);
  const [block, setBlock] = useState(false);
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const erase = async () => {
    setAsking(false);
    const params = { deviceId: device.id };
    const reply = await call("eraseDevice", { params, query: { block: String(block) } });
    setFailure(reply.ok ? undefined : reply.failure);
    if (!reply.ok) return;
    clearFleet();
    showToast(deviceSettingsText.erased(device.name));
    navigate("/", { replace: true });
  };
  return (
    <Card title={deviceSettingsText.erase} hint={deviceSettingsText.eraseCardHint}>
      <div class="stack-small">
        <ErrorNotice failure={failure} />
        <div>
          <button type="button" class="button danger" onClick={() => setAsking(true)}>
            {deviceSettingsText.eraseThisDevice}
          </button>
        </div>
      </div>
      {asking && (
        <Confirm
          title={deviceSettingsText.confirmErasing(device.name)}
          action={deviceSettingsText.eraseDevice}
          onConfirm={() => void erase()}
          onCancel={() => setAsking(false)}
        >
          <p class="muted">{deviceSettingsText.eraseHint}</p>
          <label class="check">
            <input
              type="checkbox"
              checked={block}
              onChange={(event) => setBlock(event.currentTarget.checked)}
            />
            <span>{deviceSettingsText.blockId}</span>
          </label>
        </Confirm>
      )}
    </Card>
  );
}
