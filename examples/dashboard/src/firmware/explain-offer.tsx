import { call } from "../api/call.js";
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
        <p>This device is offered this release.</p>
      ) : (
        <>
          <p>This device is not offered this release:</p>
          <ul class="reasons">
            {reasons.map(({ code, message, until }) => (
              <li key={code}>
                {message} {until && `Until ${formatTime(until)}.`}
              </li>
            ))}
          </ul>
        </>
      )}
      {update && (
        <p class="small muted">
          {updateStateLabels[update.state][0]}, offered {formatTime(update.offeredAt)}.
        </p>
      )}
    </Notice>
  );
}
