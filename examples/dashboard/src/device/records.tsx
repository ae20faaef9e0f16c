import { useState } from "preact/hooks";
import { call } from "../api/call.js";
import { downloadText } from "../chart/download-shown.js";
import type { FormatOf } from "../series/metric-format.js";
import { metricValue } from "../series/metric-names.js";
import { toCsvText } from "../series/shown-table.js";
import * as text from "../text/records.js";
import { formatDuration, formatNumber, formatTimeOfRecord, roundTime } from "../ui/format.js";
import { ErrorNotice } from "../ui/parts.js";
import { Scrollable } from "../ui/scrollable.js";
import { useLoad } from "../ui/use-load.js";
import { RecordTree } from "./live/record-tree.js";

interface RecordsProps {
  readonly deviceId: string;
  /** Seconds. */
  readonly from: number;
  /** Seconds. */
  readonly to: number;
  readonly metrics: readonly string[];
  readonly formatOf: FormatOf;
}

const pageSize = 50;
/** A record that arrives later than this was kept by the device. */
const lateMs = 300_000;

function describeDelay(timestamp: string, receivedAt: string): string {
  const delay = Date.parse(receivedAt) - Date.parse(timestamp);
  return delay > lateMs ? text.late(formatDuration(roundTime(delay / 1000))) : "";
}

function RecordPages({ deviceId, from, to, metrics, formatOf }: RecordsProps) {
  /** The cursors of the pages up to the shown one. The first page has none. */
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const { value, failure, loading, reload } = useLoad(cursor ?? "", (signal) =>
    call("listTelemetryRecords", {
      params: { deviceId },
      query: {
        ...{ from: Math.round(from * 1000), to: Math.round(to * 1000), limit: pageSize },
        ...(cursor !== undefined && { cursor }),
      },
      signal,
    }),
  );
  const { records = [], nextCursor = null } = value ?? {};
  const headOf = (metric: string) => {
    const { name, unit } = formatOf(metric);
    return unit === undefined ? name : `${name} (${unit})`;
  };
  const download = () => {
    const units = metrics.map((metric) => {
      const { unit } = formatOf(metric);
      return unit === undefined ? metric : `${metric} [${unit}]`;
    });
    const rows = records.map(({ timestamp, receivedAt, record }) => [
      ...[timestamp, receivedAt],
      ...metrics.map((metric) => metricValue(record, metric) ?? ""),
    ]);
    const csv = toCsvText(["time", "received_at", ...units], rows);
    downloadText(`${deviceId}-records`, csv);
  };
  return (
    <div class="stack-small" aria-busy={loading}>
      <ErrorNotice failure={failure} retry={reload} />
      {value && records.length === 0 && <p class="muted">{text.noRecords}</p>}
      {records.length > 0 && (
        <Scrollable class="scroll points" label={text.records}>
          <table class="table labelled">
            <thead>
              <tr>
                <th scope="col">{text.measured}</th>
                <th scope="col">{text.received}</th>
                {metrics.map((metric) => (
                  <th key={metric} scope="col">
                    {headOf(metric)}
                  </th>
                ))}
                <th scope="col">{text.wholeRecord}</th>
              </tr>
            </thead>
            <tbody>
              {records.map(({ timestamp, receivedAt, record }, i) => (
                <tr key={`${cursor} ${i}`}>
                  <td class="time" data-label={text.measured}>
                    {formatTimeOfRecord(timestamp)}
                  </td>
                  <td data-label={text.received}>
                    <span>
                      <span class="time">{formatTimeOfRecord(receivedAt)}</span>{" "}
                      <span class="muted">{describeDelay(timestamp, receivedAt)}</span>
                    </span>
                  </td>
                  {metrics.map((metric) => {
                    const reading = metricValue(record, metric);
                    return (
                      <td key={metric} data-label={headOf(metric)}>
                        {reading === undefined
                          ? "–"
                          : formatNumber(reading, formatOf(metric).decimals)}
                      </td>
                    );
                  })}
                  <td class="whole">
                    <details>
                      <summary>{text.show}</summary>
                      <RecordTree record={record} formatOf={formatOf} />
                    </details>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scrollable>
      )}
      <div class="between">
        <span class="actions">
          <button
            type="button"
            class="button small"
            disabled={cursors.length === 0 || loading}
            onClick={() => setCursors(cursors.slice(0, -1))}
          >
            {text.newer}
          </button>
          <button
            type="button"
            class="button small"
            disabled={nextCursor === null || loading}
            onClick={() => nextCursor !== null && setCursors([...cursors, nextCursor])}
          >
            {text.older}
          </button>
        </span>
        <button type="button" class="link" disabled={records.length === 0} onClick={download}>
          {text.downloadPage}
        </button>
      </div>
    </div>
  );
}

/** Lists the raw records of a range, with the time at which each was received. It reads them while it is open. */
export function Records(props: RecordsProps) {
  const [open, setOpen] = useState(false);
  /** The range at the time of opening. A range that moves on would restart the pages. */
  const [range, setRange] = useState({ from: 0, to: 0 });
  return (
    <details
      class="small own-range"
      onToggle={(event) => {
        const isOpen = event.currentTarget.open;
        if (isOpen && !open) setRange({ from: props.from, to: props.to });
        setOpen(isOpen);
      }}
    >
      <summary>{text.recordsWithReceipt}</summary>
      {open && range.to > 0 && <RecordPages {...props} {...range} />}
    </details>
  );
}
