import { useState } from "preact/hooks";
import { Card, Field } from "../ui/parts.js";
import { ExplainOffer } from "./explain-offer.js";

/** Would this device be offered it, and why not? */
export function CheckOffer({ releaseId }: { releaseId: number }) {
  const [deviceId, setDeviceId] = useState<string | undefined>();
  const ask = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setDeviceId(String(form.get("deviceId")).trim());
  };
  return (
    <Card title="Would a device get it?">
      <form class="form" onSubmit={ask}>
        <Field id="ask-device" name="deviceId" label="Device id" class="mono" required />
        <div>
          <button type="submit" class="button">
            Ask
          </button>
        </div>
        {deviceId !== undefined && <ExplainOffer releaseId={releaseId} deviceId={deviceId} />}
      </form>
    </Card>
  );
}
