import { useState } from "preact/hooks";
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
    <Card title="Check a device">
      <form class="form" onSubmit={check}>
        <Field id="check-device" name="deviceId" label="Device ID" class="mono" required />
        <div>
          <button type="submit" class="button">
            Check
          </button>
        </div>
        {deviceId !== undefined && <ExplainOffer releaseId={releaseId} deviceId={deviceId} />}
      </form>
    </Card>
  );
}
