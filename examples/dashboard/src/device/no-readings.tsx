import type { DeviceSummary } from "@device-gateway/core/contract";
import { formatDuration } from "../ui/format.js";
import { Card, EmptyState } from "../ui/parts.js";
import type { TelemetryRecord } from "./use-live.js";

interface NoReadingsProps {
  readonly device: DeviceSummary;
  /** The newest record, or `{}`. */
  readonly record: TelemetryRecord;
  readonly wasRefused: boolean;
}

function explain({ device, record, wasRefused }: NoReadingsProps): readonly [string, string] {
  if (record["timestamp"] !== undefined) {
    return [
      "No numbers to draw",
      "The gateway sends records without numbers. The latest one is on this page. A number or a boolean in a record becomes a chart.",
    ];
  }
  if (wasRefused) {
    return [
      "No record was accepted",
      "The gateway reaches the server, but the server refuses what it sends. See the reasons.",
    ];
  }
  const interval = formatDuration(device.expectedIntervalSeconds);
  if (device.lastSeen !== null) {
    return [
      "No readings yet",
      `The gateway reaches the server and has sent no record yet. Readings appear here as they arrive, about every ${interval}.`,
    ];
  }
  return [
    "No readings yet",
    `Readings appear here as they arrive, about every ${interval}. Check that the gateway has power and Wi-Fi.`,
  ];
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
