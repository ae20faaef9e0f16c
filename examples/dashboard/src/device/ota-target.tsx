import { useState } from "preact/hooks";
import { type CallFailure, call } from "../api/call.js";
import { Card, Field, ErrorNotice } from "../ui/parts.js";
import { showToast } from "../ui/toast.js";
import type { SettingsProps } from "./settings-props.js";

interface OtaTargetProps extends SettingsProps {
  /** The only version that it is offered. */
  readonly pinnedVersion: string | null;
}

/** Which releases a device is offered: those of its channel, or the one that it is pinned to. */
export function OtaTarget({ device, pinnedVersion, reload }: OtaTargetProps) {
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const steer = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name)).trim();
    const body = { otaChannel: text("channel"), pinnedVersion: text("pin") || null };
    const reply = await call("steerDevice", { params: { deviceId: device.id }, body });
    setFailure(reply.ok ? undefined : reply.failure);
    if (!reply.ok) return;
    const { pinnedVersion: pin, otaChannel } = reply.value;
    showToast(pin === null ? `It follows the channel ${otaChannel}.` : `It is pinned to ${pin}.`);
    reload();
  };
  return (
    <Card
      title="Releases it gets"
      hint="For operators. Try a release on a few devices in a channel of their own, or hold one device at a version."
    >
      <form class="form" onSubmit={(event) => void steer(event)}>
        <div class="form-row">
          <Field
            id="channel"
            name="channel"
            label="Channel"
            defaultValue={device.otaChannel}
            pattern="[\w.\-]{1,64}"
            hint="Only releases of this channel are offered."
            spellcheck={false}
            required
          />
          <Field
            id="pin"
            name="pin"
            label="Pinned to version"
            defaultValue={pinnedVersion ?? ""}
            placeholder="not pinned"
            pattern="\d+\.\d+\.\d+"
            hint="The only version offered, whatever its channel and share. Empty: no pin."
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
