import { useState } from "preact/hooks";
import { type CallFailure, call } from "../../api/call.js";
import { clearFleet } from "../../fleet/fleet.js";
import * as deviceSettingsText from "../../text/device-settings.js";
import { Card, ErrorNotice, Field } from "../../ui/parts.js";
import { showToast } from "../../ui/toast.js";
import { useUnsaved } from "../../unsaved.js";
import type { SettingsProps } from "./settings-props.js";

export function NameForm({ device, reload }: SettingsProps) {
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const unsaved = useUnsaved();
  const rename = async (event: SubmitEvent) => {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget as HTMLFormElement).get("name"));
    const params = { deviceId: device.id };
    const reply = await call("patchDevice", { params, body: { name } });
    setFailure(reply.ok ? undefined : reply.failure);
    if (!reply.ok) return;
    unsaved.onSaved();
    clearFleet();
    reload();
    showToast(deviceSettingsText.nameSaved);
  };
  return (
    <Card title={deviceSettingsText.name} hint={deviceSettingsText.nameHint}>
      <form class="form" onInput={unsaved.onInput} onSubmit={(event) => void rename(event)}>
        <Field
          id="name"
          name="name"
          label={deviceSettingsText.deviceName}
          defaultValue={device.name}
          maxLength={64}
          required
        />
        <div>
          <button type="submit" class="button">
            {deviceSettingsText.saveName}
          </button>
        </div>
        <ErrorNotice failure={failure} />
      </form>
    </Card>
  );
}
