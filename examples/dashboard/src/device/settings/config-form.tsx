import type { DeviceConfigAnswer, DeviceSummary } from "@device-gateway/core/contract";
import { useRef, useState } from "preact/hooks";
import { type CallFailure, call } from "../../api/call.js";
import * as deviceSettingsText from "../../text/device-settings.js";
import { settingNames } from "../../text/setting-names.js";
import { Card, ErrorNotice, Field, Notice, Skeleton } from "../../ui/parts.js";
import { showToast } from "../../ui/toast.js";
import { useLoad } from "../../ui/use-load.js";
import { useSaving } from "../../ui/use-saving.js";
import { useUnsaved } from "../../unsaved.js";
import { describeConflicts, type Patch, toPatch } from "./config-patch.js";

interface FormProps {
  readonly device: DeviceSummary;
  readonly answer: DeviceConfigAnswer;
  readonly onSaved: () => void;
}

/** The user's change, and the configuration that someone else saved while this form was open. */
interface Conflict {
  readonly patch: Patch;
  readonly theirs: DeviceConfigAnswer;
}

function Editor({ device, answer, onSaved }: FormProps) {
  const [failure, setFailure] = useState<CallFailure | { message: string } | undefined>();
  const [conflict, setConflict] = useState<Conflict | undefined>();
  const unsaved = useUnsaved();
  const { blocked, run } = useSaving(answer);
  const form = useRef<HTMLFormElement>(null);
  const params = { deviceId: device.id };

  const readForm = () => toPatch(new FormData(form.current ?? undefined), answer);
  const save = async (patch: Patch, version: string) => {
    const headers = { "if-match": `"${version}"` };
    const reply = await call("changeDeviceConfig", { params, body: patch, headers });
    setConflict(undefined);
    setFailure(undefined);
    if (reply.ok) {
      unsaved.onSaved();
      showToast(deviceSettingsText.configurationSaved);
      onSaved();
      return true;
    }
    if (reply.failure.code === "precondition_failed") {
      const now = await call("readDeviceConfig", { params });
      if (now.ok) setConflict({ patch, theirs: now.value });
      else setFailure(now.failure);
    } else setFailure(reply.failure);
    return false;
  };
  /** Saves what the form holds now, unless someone else has saved a later version than the given one. */
  const saveForm = (version: string) => {
    const patch = readForm();
    if (typeof patch === "string") setFailure({ message: patch });
    else if (Object.keys(patch).length === 0) showToast(deviceSettingsText.nothingToSave);
    else void run(() => save(patch, version));
  };
  const onInput = () => {
    unsaved.onInput();
    const patch = readForm();
    // The conflict is between what is saved and what the form holds now.
    if (conflict && typeof patch === "object") setConflict({ ...conflict, patch });
  };
  const { telemetryIntervalSeconds, otaEnabled } = answer.config;
  return (
    <fieldset class="plain-set" disabled={blocked}>
      <form
        class="form"
        ref={form}
        onInput={onInput}
        onSubmit={(event) => {
          event.preventDefault();
          saveForm(answer.configVersion);
        }}
      >
        <Field
          id="interval"
          name="telemetryIntervalSeconds"
          label={settingNames.telemetryIntervalSeconds}
          type="number"
          min={10}
          max={3600}
          defaultValue={telemetryIntervalSeconds}
          hint={deviceSettingsText.recordIntervalHint}
          required
        />
        <label class="check">
          <input type="checkbox" name="otaEnabled" defaultChecked={otaEnabled} />
          <span>
            <span class="label">{settingNames.otaEnabled}</span>
            <br />
            <span class="small muted">{deviceSettingsText.firmwareUpdatesHint}</span>
          </span>
        </label>
        <details>
          <summary class="small">{deviceSettingsText.allSettings}</summary>
          <div class="field json-field">
            <label for="overrides">{deviceSettingsText.ownSettings}</label>
            <textarea id="overrides" name="overrides" class="input" spellcheck={false}>
              {JSON.stringify(answer.overrides, null, 2)}
            </textarea>
            <p class="hint">{deviceSettingsText.ownSettingsHint}</p>
          </div>
        </details>
        <div>
          <button type="submit" class="button primary">
            {deviceSettingsText.saveConfiguration}
          </button>
        </div>
        <ErrorNotice failure={failure} />
        {conflict && (
          <Notice tone="warn">
            <p>{deviceSettingsText.conflictHint}</p>
            <ul class="conflict">
              {describeConflicts(conflict.patch, conflict.theirs.config).map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
            <div class="actions">
              <button
                type="button"
                class="button small"
                onClick={() => saveForm(conflict.theirs.configVersion)}
              >
                {deviceSettingsText.overwriteWithMine}
              </button>
              <button type="button" class="button small quiet" onClick={onSaved}>
                {deviceSettingsText.discardMine}
              </button>
            </div>
          </Notice>
        )}
      </form>
    </fieldset>
  );
}

/** Lets the owner edit the configuration. Shows it to operators. */
export function ConfigForm({ device }: { device: DeviceSummary }) {
  const params = { deviceId: device.id };
  const loaded = useLoad(device.id, (signal) => call("readDeviceConfig", { params, signal }));
  const { value, failure, reload } = loaded;
  return (
    <Card title={deviceSettingsText.configuration} hint={deviceSettingsText.configurationHint}>
      <ErrorNotice failure={failure} retry={reload} />
      {value === undefined && <Skeleton height={241} />}
      {value && !device.isOwner && (
        <pre class="mono config-text">{JSON.stringify(value.config, null, 2)}</pre>
      )}
      {value && device.isOwner && (
        <Editor key={value.configVersion} device={device} answer={value} onSaved={reload} />
      )}
    </Card>
  );
}
