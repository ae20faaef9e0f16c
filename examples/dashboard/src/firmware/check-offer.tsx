import { useState } from "preact/hooks";
import * as firmwareText from "../text/firmware.js";
import { Card, Field } from "../ui/parts.js";
import { ExplainOffer } from "./explain-offer.js";

/** Lets an operator check whether a device is offered a release, and why not. */
export function CheckOffer({ releaseId }: { releaseId: number }) {
  /** The device, and how often the operator has checked. Each check reads the answer again. */
  const [checked, setChecked] = useState({ deviceId: "", times: 0 });
  const check = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const deviceId = String(form.get("deviceId")).trim();
    setChecked(({ times }) => ({ deviceId, times: times + 1 }));
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
        {checked.times > 0 && (
          <ExplainOffer key={checked.times} releaseId={releaseId} deviceId={checked.deviceId} />
        )}
      </form>
    </Card>
  );
}
