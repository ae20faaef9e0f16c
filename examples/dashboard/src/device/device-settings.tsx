import { isOperator } from "../session.js";
import { Card } from "../ui/parts.js";
import { ConfigForm } from "./config-form.js";
import { NameForm } from "./name-form.js";
import { ReEnrolment } from "./re-enrolment.js";
import { Release } from "./release.js";
import type { SettingsProps } from "./settings-props.js";
import { ShutOut } from "./shut-out.js";

export function DeviceSettings({ device, reload }: SettingsProps) {
  return (
    <div class="stack medium">
      {device.isOwner ? (
        <NameForm device={device} reload={reload} />
      ) : (
        <Card title="Name">
          <p class="muted">
            Only its owner names and releases a device. You see it as an operator.
          </p>
        </Card>
      )}
      <ConfigForm key={device.id} device={device} />
      <ReEnrolment device={device} />
      {device.isOwner && <Release device={device} />}
      {isOperator.value && <ShutOut device={device} />}
    </div>
  );
}
