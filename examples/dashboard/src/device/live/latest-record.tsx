import type { FormatOf } from "../../series/metric-format.js";
import * as deviceText from "../../text/device.js";
import { formatTime } from "../../ui/format.js";
import { Card } from "../../ui/parts.js";
import { Scrollable } from "../../ui/scrollable.js";
import { RecordTree } from "./record-tree.js";
import type { TelemetryRecord } from "./use-live.js";

interface LatestRecordProps {
  readonly record: TelemetryRecord;
  readonly formatOf: FormatOf;
}

/** Shows the newest record as it was sent. */
export function LatestRecord({ record, formatOf }: LatestRecordProps) {
  const at = record["timestamp"];
  return (
    <Card title={deviceText.latestRecord}>
      {typeof at === "string" ? (
        <div class="stack-small">
          <p class="small muted">{formatTime(at)}</p>
          <Scrollable class="scroll" label={deviceText.latestRecord}>
            <RecordTree record={record} formatOf={formatOf} />
          </Scrollable>
        </div>
      ) : (
        <p class="muted">{deviceText.noRecordsYet}</p>
      )}
    </Card>
  );
}
