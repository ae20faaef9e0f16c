import { call } from "../api/call.js";
import * as firmwareText from "../text/firmware.js";
import { formatTime } from "../ui/format.js";
import { ErrorNotice, Notice, Skeleton } from "../ui/parts.js";
import { useLoad } from "../ui/use-load.js";
import { updateStateLabels } from "./state-labels.js";

interface ExplainOfferProps {
  readonly releaseId: number;
  readonly deviceId: string;
}

/** Shows whether a device is offered a release, or every reason why not. */
export function ExplainOffer({ releaseId, deviceId }: ExplainOfferProps) {
  const params = { releaseId, deviceId };
  const { value, failure, reload } = useLoad(`${releaseId} ${deviceId}`, (signal) =>
    call("explainOffer", { params, signal }),
  );
  if (failure) return <ErrorNotice failure={failure} retry={reload} />;
  if (value === undefined) return <Skeleton height={48} />;
  const { offered, reasons, update } = value;
  return (
    <Notice tone={offered ? "good" : "plain"}>
      {offered ? (
        <p>{firmwareText.isOffered}</p>
      ) : (
        <>
          <p>{firmwareText.isNotOffered}</p>
          <ul class="reasons">
            {reasons.map(({ code, message, until }) => (
              <li key={code}>
                {message} {until && firmwareText.isOfferedUntil(formatTime(until))}
              </li>
            ))}
          </ul>
        </>
      )}
      {update && (
        <p class="small muted">
          {firmwareText.stateAndOfferTime(
            updateStateLabels[update.state][0],
            formatTime(update.offeredAt),
          )}
        </p>
      )}
    </Notice>
  );
}
