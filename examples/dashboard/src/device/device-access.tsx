import type { DeviceSummary } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { type CallFailure, call } from "../api/call.js";
import { Confirm } from "../ui/confirm.js";
import { formatTime } from "../ui/format.js";
import { Card, ErrorNotice, Notice } from "../ui/parts.js";
import { showToast } from "../ui/toast.js";

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
    <Card
      title="Access"
      hint="For operators. The server rejects all tokens, secrets and codes of a revoked device within one second."
    >
      <div class="stack-small">
        <ErrorNotice failure={failure} />
        {revokedAt !== null && <Notice tone="bad">Revoked on {formatTime(revokedAt)}.</Notice>}
        <div>
          {revokedAt === null ? (
            <button type="button" class="button danger" onClick={() => setAsking(true)}>
              Revoke this device
            </button>
          ) : (
            <button
              type="button"
              class="button"
              onClick={() =>
                void change("reinstateDevice", "Device reinstated. It may log in again.")
              }
            >
              Reinstate this device
            </button>
          )}
        </div>
      </div>
      {asking && (
        <Confirm
          title={`Revoke ${device.name}?`}
          action="Revoke device"
          onConfirm={() => void change("revokeDevice", "Device revoked.")}
          onCancel={() => setAsking(false)}
        >
          <p class="muted">The server rejects its requests at once. You can reinstate it later.</p>
        </Confirm>
      )}
    </Card>
  );
}
