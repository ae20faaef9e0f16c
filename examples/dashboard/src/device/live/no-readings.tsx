import type { DeviceSummary } from "@device-gateway/core/contract";
import * as deviceText from "../../text/device.js";
import { formatDuration } from "../../ui/format.js";
import { Card, EmptyState } from "../../ui/parts.js";
import type { TelemetryRecord } from "./use-live.js";

interface NoReadingsProps {
  readonly device: DeviceSummary;
  /** The newest record, or `{}`. */
  readonly record: TelemetryRecord;
  readonly wasRefused: boolean;
}

function explain({ device, record, wasRefused }: NoReadingsProps): readonly [string, string] {
  if (record["timestamp"] !== undefined) {
    return [deviceText.noNumbersToDraw, deviceText.noNumbersHint];
  }
  if (wasRefused) {
    return [deviceText.noRecordAccepted, deviceText.noRecordAcceptedHint];
  }
  const interval = formatDuration(device.expectedIntervalSeconds);
  if (device.lastSeen !== null) {
    return [deviceText.noReadingsYet, deviceText.noRecordYetHint(interval)];
  }
  return [deviceText.noReadingsYet, deviceText.noReadingsHint(interval)];
}

/** Says why there is nothing to draw, and what to do. */
export function NoReadings(props: NoReadingsProps) {
  const [title, text] = explain(props);
  return (
    <Card>
      <EmptyState title={title}>
        <p>{text}</p>
      </EmptyState>
    </Card>
  );
}
