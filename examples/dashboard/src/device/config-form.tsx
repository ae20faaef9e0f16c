import type { DeviceConfigAnswer, DeviceSummary } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { type CallFailure, call } from "../api/call.js";
import { Card, Field, Notice, Skeleton, ErrorNotice } from "../ui/parts.js";
import { showToast } from "../ui/toast.js";
import { useLoad } from "../ui/use-load.js";
import { type Patch, describeConflicts, toPatch } from "./config-patch.js";

interface FormProps {
  readonly device: DeviceSummary;
  readonly answer: DeviceConfigAnswer;
  readonly onSaved: () => void;
}

/** What somebody else changed while this form was open, and what to do about it. */
interface Conflict {
  readonly patch: Patch;
  readonly theirs: DeviceConfigAnswer;
}

function Editor({ device, answer, onSaved }: FormProps) {
  const [failure, setFailure] = useState<CallFailure | { message: string } | undefined>();
  const [conflict, setConflict] = useState<Conflict | undefined>();
  const params = { deviceId: device.id };

  const save = async (patch: Patch, version: string) => {
    const headers = { "if-match": `"${version}"` };
    const reply = await call("changeDeviceConfig", { params, body: patch, headers });
    setConflict(undefined);
    setFailure(undefined);
    if (reply.ok) {
      showToast("Saved. The gateway takes it up with its next record.");
      return onSaved();
    }
    if (reply.failure.code !== "precondition_failed") return setFailure(reply.failure);
    const now = await call("readDeviceConfig", { params });
    if (now.ok) setConflict({ patch, theirs: now.value });
    else setFailure(now.failure);
  };
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const patch = toPatch(new FormData(event.currentTarget as HTMLFormElement), answer);
    if (typeof patch === "string") setFailure({ message: patch });
    else if (Object.keys(patch).length === 0) showToast("Nothing was changed.");
    else void save(patch, answer.configVersion);
  };
  const { telemetryIntervalSeconds, otaEnabled } = answer.config;
  return (
    <form class="form" onSubmit={onSubmit}>
      <Field
        id="interval"
        name="telemetryIntervalSeconds"
        label="Seconds between records"
        type="number"
        min={10}
        max={3600}
        defaultValue={telemetryIntervalSeconds}
        hint="10 to 3600. Fewer records save power."
        required
      />
      <label class="check">
        <input type="checkbox" name="otaEnabled" defaultChecked={otaEnabled} />
        <span>
          <span class="label">Firmware updates</span>
          <br />
          <span class="small muted">Whether it is offered new releases.</span>
        </span>
      </label>
      <details>
        <summary class="small">All of its own settings, as JSON</summary>
        <div class="field json-field">
          <label for="overrides">What differs from the defaults</label>
          <textarea id="overrides" name="overrides" class="input" spellcheck={false}>
            {JSON.stringify(answer.overrides, null, 2)}
          </textarea>
          <p class="hint">Leave a setting out to go back to its default.</p>
        </div>
      </details>
      <div>
        <button type="submit" class="button primary">
          Save configuration
        </button>
      </div>
      <ErrorNotice failure={failure} />
      {conflict && (
        <Notice tone="warn">
          <p>
            <strong>It was changed elsewhere meanwhile.</strong> Nothing of yours is saved yet.
          </p>
          <ul class="conflict">
            {describeConflicts(conflict.patch, conflict.theirs.config).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
          <div class="actions">
            <button
              type="button"
              class="button small"
              onClick={() => void save(conflict.patch, conflict.theirs.configVersion)}
            >
              Save mine over it
            </button>
            <button type="button" class="button small quiet" onClick={onSaved}>
              Take theirs
            </button>
          </div>
        </Notice>
      )}
    </form>
  );
}

/** The owner's configuration; for others as it stands. */
export function ConfigForm({ device }: { device: DeviceSummary }) {
  const params = { deviceId: device.id };
  const loaded = useLoad(device.id, (signal) => call("readDeviceConfig", { params, signal }));
  const { value, failure, reload } = loaded;
  return (
    <Card title="Configuration" hint="The gateway takes it up with its next record.">
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
