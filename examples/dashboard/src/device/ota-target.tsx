import { useState } from "preact/hooks";
import { type CallFailure, call } from "../api/call.js";
import { Card, ErrorNotice, Field } from "../ui/parts.js";
import { showToast } from "../ui/toast.js";
import { useUnsaved } from "../unsaved.js";
import type { SettingsProps } from "./settings-props.js";

interface OtaTargetProps extends SettingsProps {
  /** The only version that the device is offered. Null: any version of its channel. */
  readonly pinnedVersion: string | null;
  readonly benchMode: boolean;
}

/** Lets an operator set a device's update channel, pin, and bench mode, and clear its blocks. */
export function OtaTarget({ device, pinnedVersion, benchMode, reload }: OtaTargetProps) {
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const unsaved = useUnsaved();
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name)).trim();
    const body = {
      otaChannel: text("channel"),
      pinnedVersion: text("pin") || null,
      benchMode: form.has("bench"),
    };
    const reply = await call("setOtaTarget", { params: { deviceId: device.id }, body });
    setFailure(reply.ok ? undefined : reply.failure);
    if (!reply.ok) return;
    unsaved.onSaved();
    const { pinnedVersion: pin, otaChannel } = reply.value;
    showToast(pin === null ? `Follows the channel ${otaChannel}.` : `Pinned to ${pin}.`);
    reload();
  };
  const clearBlocks = async () => {
    const reply = await call("clearUpdateBlocks", { params: { deviceId: device.id } });
    setFailure(reply.ok ? undefined : reply.failure);
    if (reply.ok) showToast("No release is blocked on this device.");
  };
  return (
    <Card
      title="Update target"
      hint="For operators. Use a separate channel to try a release on a few devices, or pin one device to a version."
    >
      <form class="form" onInput={unsaved.onInput} onSubmit={(event) => void save(event)}>
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
        <label class="check">
          <input type="checkbox" name="bench" defaultChecked={benchMode} />
          <span>
            On a test bench: failed updates of this device neither block a release on it nor halt a
            rollout
          </span>
        </label>
        <div class="form-row">
          <button type="submit" class="button">
            Save
          </button>
          <button type="button" class="button" onClick={() => void clearBlocks()}>
            Clear blocks after failed updates
          </button>
        </div>
        <ErrorNotice failure={failure} />
      </form>
    </Card>
  );
}
