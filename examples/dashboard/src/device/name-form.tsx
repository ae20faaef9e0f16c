import { useState } from "preact/hooks";
import { type CallFailure, call } from "../api/call.js";
import { forgetFleet } from "../fleet/fleet.js";
import { Card, Field, Trouble } from "../ui/parts.js";
import { say } from "../ui/toast.js";
import type { SettingsProps } from "./settings-props.js";

export function NameForm({ device, reload }: SettingsProps) {
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const rename = async (event: SubmitEvent) => {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget as HTMLFormElement).get("name"));
    const params = { deviceId: device.id };
    const reply = await call("patchDevice", { params, body: { name } });
    setFailure(reply.ok ? undefined : reply.failure);
    if (!reply.ok) return;
    forgetFleet();
    reload();
    say("Name saved.");
  };
  return (
    <Card title="Name" hint="How it stands in your list.">
      <form class="form" onSubmit={(event) => void rename(event)}>
        <Field
          id="name"
          name="name"
          label="What you call it"
          defaultValue={device.name}
          maxLength={64}
          required
        />
        <div>
          <button type="submit" class="button">
            Save name
          </button>
        </div>
        <Trouble failure={failure} />
      </form>
    </Card>
  );
}
