import { formatTime } from "../ui/format.js";
import { Card } from "../ui/parts.js";
import { Scrollable } from "../ui/scrollable.js";
import { RecordTree } from "./record-tree.js";
import type { TelemetryRecord } from "./use-live.js";

/** Shows the newest record as it was sent. */
export function LatestRecord({ record }: { record: TelemetryRecord }) {
  const at = record["timestamp"];
  return (
    <Card title="Latest record">
      {typeof at === "string" ? (
        <div class="stack-small">
          <p class="small muted">{formatTime(at)}</p>
          <Scrollable class="scroll" label="Latest record">
            <RecordTree record={record} />
          </Scrollable>
        </div>
      ) : (
        <p class="muted">No records yet.</p>
      )}
    </Card>
  );
}
