import type { DeviceSummary } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { type CallFailure, call } from "../../api/call.js";
import { Link } from "../../router.js";
import * as deviceSettingsText from "../../text/device-settings.js";
import { Confirm } from "../../ui/confirm.js";
import { formatTime } from "../../ui/format.js";
import { Card, ErrorNotice, Notice } from "../../ui/parts.js";
import { showToast } from "../../ui/toast.js";

interface DeviceAccessProps {
  readonly device: DeviceSummary;
  readonly revokedAt: string | null;
  readonly reload: () => void;
}

/** Lets an operator revoke and reinstate a device. */
export function DeviceAccess({ device, revokedAt, reload }: DeviceAccessProps) {
  const [asking, setAsking] = useState(false);
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const change = async (name: "revokeDevice" | "reinstateDevice", done: string) => {
    setAsking(false);
    const reply = await call(name, { params: { deviceId: device.id } });
    setFailure(reply.ok ? undefined : reply.failure);
    if (!reply.ok) return;
    showToast(done);
    reload();
  };
  return (
    <Card title={deviceSettingsText.access} hint={deviceSettingsText.accessHint}>
      <div class="stack-small">
        <ErrorNotice failure={failure} />
        <p>
          <Link to={`/audit?${new URLSearchParams({ device: device.id })}`}>
            {deviceSettingsText.auditTrailOfDevice}
          </Link>
        </p>
        {revokedAt !== null && (
          <Notice tone="bad">{deviceSettingsText.revokedOn(formatTime(revokedAt))}</Notice>
        )}
        <div>
          {revokedAt === null ? (
            <button type="button" class="button danger" onClick={() => setAsking(true)}>
              {deviceSettingsText.revokeThisDevice}
            </button>
          ) : (
            <button
              type="button"
              class="button"
              onClick={() => void change("reinstateDevice", deviceSettingsText.deviceReinstated)}
            >
              {deviceSettingsText.reinstateThisDevice}
            </button>
          )}
        </div>
      </div>
      {asking && (
        <Confirm
          title={deviceSettingsText.confirmRevoking(device.name)}
          action={deviceSettingsText.revokeDevice}
          onConfirm={() => void change("revokeDevice", deviceSettingsText.deviceRevoked)}
          onCancel={() => setAsking(false)}
        >
          <p class="muted">{deviceSettingsText.revokeHint}</p>
        </Confirm>
      )}
    </Card>
  );
}
