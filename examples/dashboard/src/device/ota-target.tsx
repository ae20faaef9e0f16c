import { useState } from "preact/hooks";
import { type CallFailure, call } from "../api/call.js";
import { Card, ErrorNotice, Field } from "../ui/parts.js";
import { showToast } from "../ui/toast.js";
import type { SettingsProps } from "./settings-props.js";

interface OtaTargetProps extends SettingsProps {
  /** The only version that the device is offered. Null: any version of its channel. */
  readonly pinnedVersion: string | null;
}

/** Lets an operator set a device's update channel, or pin the device to one version. */
export function OtaTarget({ device, pinnedVersion, reload }: OtaTargetProps) {
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name)).trim();
    const body = { otaChannel: text("channel"), pinnedVersion: text("pin") || null };
    const reply = await call("steerDevice", { params: { deviceId: device.id }, body });
    setFailure(reply.ok ? undefined : reply.failure);
    if (!reply.ok) return;
    const { pinnedVersion: pin, otaChannel } = reply.value;
    showToast(pin === null ? `Follows the channel ${otaChannel}.` : `Pinned to ${pin}.`);
    reload();
  };
  return (
    <Card
      title="Update target"
      hint="For operators. Use a separate channel to try a release on a few devices, or pin one device to a version."
    >
      <form class="form" onSubmit={(event) => void save(event)}>
        <div class="form-row">
          <Field
            id="channel"
            name="channel"
            label="Channel"
            defaultValue={device.otaChannel}
            pattern="[\w.\-]{1,64}"
            hint="The device is offered releases of this channel only."
            spellcheck={false}
            required
          />
          <Field
            id="pin"
            name="pin"
            label="Pinned version"
            defaultValue={pinnedVersion ?? ""}
            placeholder="not pinned"
            pattern="\d+\.\d+\.\d+"
            hint="The only version offered, whatever its channel and share. Leave empty for no pin."
            spellcheck={false}
          />
        </div>
        <div>
          <button type="submit" class="button">
            Save
          </button>
        </div>
        <ErrorNotice failure={failure} />
      </form>
    </Card>
  );
}
