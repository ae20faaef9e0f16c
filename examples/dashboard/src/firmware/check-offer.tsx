import { useState } from "preact/hooks";
import * as firmwareText from "../text/firmware.js";
import { Card, Field } from "../ui/parts.js";
import { ExplainOffer } from "./explain-offer.js";

/** Lets an operator check whether a device is offered a release, and why not. */
export function CheckOffer({ releaseId }: { releaseId: number }) {
  const [deviceId, setDeviceId] = useState<string | undefined>();
  const check = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setDeviceId(String(form.get("deviceId")).trim());
  };
  return (
    <Card title={firmwareText.checkADevice}>
      <form class="form" onSubmit={check}>
        <Field
          id="check-device"
          name="deviceId"
          label={firmwareText.deviceId}
          class="mono"
          required
        />
        <div>
          <button type="submit" class="button">
            {firmwareText.check}
          </button>
        </div>
        {deviceId !== undefined && <ExplainOffer releaseId={releaseId} deviceId={deviceId} />}
      </form>
    </Card>
  );
}
