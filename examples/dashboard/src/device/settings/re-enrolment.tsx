import type { DeviceSummary } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { type CallFailure, call } from "../../api/call.js";
import * as deviceSettingsText from "../../text/device-settings.js";
import { formatTime } from "../../ui/format.js";
import { Card, ErrorNotice, Notice } from "../../ui/parts.js";

export function ReEnrolment({ device }: { device: DeviceSummary }) {
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const [until, setUntil] = useState<string | undefined>();
  const open = async () => {
    const reply = await call("openReEnrolment", { params: { deviceId: device.id } });
    setFailure(reply.ok ? undefined : reply.failure);
    if (reply.ok) setUntil(reply.value.expiresAt);
  };
  return (
    <Card title={deviceSettingsText.afterAFactoryReset} hint={deviceSettingsText.factoryResetHint}>
      <div class="stack-small">
        <ErrorNotice failure={failure} />
        {until && (
          <Notice tone="good">{deviceSettingsText.mayRegisterUntil(formatTime(until))}</Notice>
        )}
        <div>
          <button type="button" class="button" onClick={() => void open()}>
            {deviceSettingsText.allowRegistration}
          </button>
        </div>
      </div>
    </Card>
  );
}
