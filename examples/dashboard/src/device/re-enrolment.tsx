import type { DeviceSummary } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { type CallFailure, call } from "../api/call.js";
import { formatTime } from "../ui/format.js";
import { Card, ErrorNotice, Notice } from "../ui/parts.js";

export function ReEnrolment({ device }: { device: DeviceSummary }) {
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const [until, setUntil] = useState<string | undefined>();
  const open = async () => {
    const reply = await call("openReEnrolment", { params: { deviceId: device.id } });
    setFailure(reply.ok ? undefined : reply.failure);
    if (reply.ok) setUntil(reply.value.expiresAt);
  };
  return (
    <Card
      title="After a factory reset"
      hint="A gateway that lost its secret can't log in. Allow it to register again with the code on its label, once within 15 minutes."
    >
      <div class="stack-small">
        <ErrorNotice failure={failure} />
        {until && (
          <Notice tone="good">
            The gateway may register again until {formatTime(until)}. Switch it on now.
          </Notice>
        )}
        <div>
          <button type="button" class="button" onClick={() => void open()}>
            Allow registration
          </button>
        </div>
      </div>
    </Card>
  );
}
