import type { DeviceSummary } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { type CallFailure, call } from "../api/call.js";
import { Confirm } from "../ui/confirm.js";
import { Card, Trouble } from "../ui/parts.js";
import { say } from "../ui/toast.js";

/** What an operator does about a gateway that went astray. */
export function ShutOut({ device }: { device: DeviceSummary }) {
  const [asking, setAsking] = useState(false);
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const change = async (name: "revokeDevice" | "reinstateDevice", done: string) => {
    setAsking(false);
    const reply = await call(name, { params: { deviceId: device.id } });
    setFailure(reply.ok ? undefined : reply.failure);
    if (reply.ok) say(done);
  };
  return (
    <Card title="Access (operator)">
      <div class="stack-small">
        <p class="muted">
          Revoked, it is shut out within a second: no token, secret or code of its is taken.
          Reinstated, it logs in with its secret.
        </p>
        <Trouble failure={failure} />
        <div class="actions">
          <button type="button" class="button danger" onClick={() => setAsking(true)}>
            Revoke
          </button>
          <button
            type="button"
            class="button"
            onClick={() => void change("reinstateDevice", "It may log in again.")}
          >
            Reinstate
          </button>
        </div>
      </div>
      {asking && (
        <Confirm
          title={`Revoke ${device.name}?`}
          action="Revoke it"
          onConfirm={() => void change("revokeDevice", "It is shut out.")}
          onCancel={() => setAsking(false)}
        >
          <p class="muted">It stops sending at once. You can reinstate it later.</p>
        </Confirm>
      )}
    </Card>
  );
}
