import { isOperator } from "../../session.js";
import * as deviceSettingsText from "../../text/device-settings.js";
import { Card } from "../../ui/parts.js";
import { ConfigForm } from "./config-form.js";
import { NameForm } from "./name-form.js";
import { OperatorSettings } from "./operator-settings.js";
import { ReEnrolment } from "./re-enrolment.js";
import { ReleaseDevice } from "./release-device.js";
import type { SettingsProps } from "./settings-props.js";

export function DeviceSettings({ device, reload }: SettingsProps) {
  return (
    <div class="stack settings">
      {device.isOwner ? (
        <NameForm device={device} reload={reload} />
      ) : (
        <Card title={deviceSettingsText.name}>
          <p class="muted">{deviceSettingsText.operatorViewHint}</p>
        </Card>
      )}
      <ConfigForm key={device.id} device={device} />
      <ReEnrolment device={device} />
      {device.isOwner && <ReleaseDevice device={device} />}
      {isOperator.value && <OperatorSettings device={device} reload={reload} />}
    </div>
  );
}
