import type { DeviceSummary } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { type CallFailure, call } from "../api/call.js";
import { clearFleet } from "../fleet/fleet.js";
import { Link, navigate } from "../router.js";
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
  const [erasing, setErasing] = useState(false);
  const [block, setBlock] = useState(false);
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const change = async (name: "revokeDevice" | "reinstateDevice", done: string) => {
    setAsking(false);
    const reply = await call(name, { params: { deviceId: device.id } });
    setFailure(reply.ok ? undefined : reply.failure);
    if (!reply.ok) return;
    showToast(done);
    reload();
  };
  const erase = async () => {
    setErasing(false);
    const params = { deviceId: device.id };
    const reply = await call("eraseDevice", { params, query: { block: String(block) } });
    setFailure(reply.ok ? undefined : reply.failure);
    if (!reply.ok) return;
    clearFleet();
    showToast(`Erased ${device.name}.`);
    navigate("/", { replace: true });
  };
  return (
    <Card
      title="Access"
      hint="For operators. The server rejects all tokens, secrets and codes of a revoked device within one second."
    >
      <div class="stack-small">
        <ErrorNotice failure={failure} />
        <p>
          <Link to={`/audit?${new URLSearchParams({ device: device.id })}`}>
            Audit trail of this device
          </Link>
        </p>
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
          )}{" "}
          <button type="button" class="button danger" onClick={() => setErasing(true)}>
            Erase this device
          </button>
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
      {erasing && (
        <Confirm
          title={`Erase ${device.name}?`}
          action="Erase device"
          onConfirm={() => void erase()}
          onCancel={() => setErasing(false)}
        >
          <p class="muted">
            This deletes the device with all its readings, for its owner too. Its events in the
            audit trail stay. You can't undo this.
          </p>
          <label class="check">
            <input
              type="checkbox"
              checked={block}
              onChange={(event) => setBlock(event.currentTarget.checked)}
            />
            <span>Block its ID, so that it can't register again</span>
          </label>
        </Confirm>
      )}
    </Card>
  );
}
