import type { OperatorDevice } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { type CallFailure, call } from "../../api/call.js";
import * as deviceSettingsText from "../../text/device-settings.js";
import { Card, ErrorNotice, Field } from "../../ui/parts.js";
import { showToast } from "../../ui/toast.js";
import { useSaving } from "../../ui/use-saving.js";
import { useUnsaved } from "../../unsaved.js";
import type { SettingsProps } from "./settings-props.js";

interface OtaTargetProps extends SettingsProps {
  /** What an operator sees of the device. */
  readonly found: OperatorDevice;
}

/** Lets an operator set a device's update channel, pin, and bench mode, and clear its blocks. */
export function OtaTarget({ device, found, reload }: OtaTargetProps) {
  const { pinnedVersion, benchMode } = found;
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const unsaved = useUnsaved();
  const { blocked, run } = useSaving(found);
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name)).trim();
    const [channel, pinned, bench] = [text("channel"), text("pin") || null, form.has("bench")];
    // Another operator may have changed the other fields since.
    const body = {
      ...(channel !== device.otaChannel && { otaChannel: channel }),
      ...(pinned !== pinnedVersion && { pinnedVersion: pinned }),
      ...(bench !== benchMode && { benchMode: bench }),
    };
    if (Object.keys(body).length === 0) return showToast(deviceSettingsText.nothingToSave);
    void run(async () => {
      const reply = await call("setOtaTarget", { params: { deviceId: device.id }, body });
      setFailure(reply.ok ? undefined : reply.failure);
      if (!reply.ok) return false;
      unsaved.onSaved();
      const { pinnedVersion: pin, otaChannel } = reply.value;
      showToast(
        pin === null
          ? deviceSettingsText.followsTheChannel(otaChannel)
          : deviceSettingsText.pinnedTo(pin),
      );
      reload();
      return true;
    });
  };
  const clearBlocks = async () => {
    const reply = await call("clearUpdateBlocks", { params: { deviceId: device.id } });
    setFailure(reply.ok ? undefined : reply.failure);
    if (reply.ok) showToast(deviceSettingsText.noReleaseBlocked);
  };
  return (
    <Card title={deviceSettingsText.updateTarget} hint={deviceSettingsText.updateTargetHint}>
      <fieldset class="plain-set" disabled={blocked}>
        <form class="form" onInput={unsaved.onInput} onSubmit={save}>
          <div class="form-row">
            <Field
              id="channel"
              name="channel"
              label={deviceSettingsText.channel}
              defaultValue={device.otaChannel}
              pattern="[\w.\-]{1,64}"
              hint={deviceSettingsText.channelHint}
              spellcheck={false}
              required
            />
            <Field
              id="pin"
              name="pin"
              label={deviceSettingsText.pinnedVersion}
              defaultValue={pinnedVersion ?? ""}
              placeholder={deviceSettingsText.notPinned}
              pattern="\d+\.\d+\.\d+"
              hint={deviceSettingsText.pinnedVersionHint}
              spellcheck={false}
            />
          </div>
          <label class="check">
            <input type="checkbox" name="bench" defaultChecked={benchMode} />
            <span>{deviceSettingsText.testBench}</span>
          </label>
          <div class="form-row">
            <button type="submit" class="button">
              {deviceSettingsText.save}
            </button>
            <button type="button" class="button" onClick={() => void clearBlocks()}>
              {deviceSettingsText.clearBlocks}
            </button>
          </div>
          <ErrorNotice failure={failure} />
        </form>
      </fieldset>
    </Card>
  );
}
