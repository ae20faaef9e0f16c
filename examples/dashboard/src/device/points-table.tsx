import { useState } from "preact/hooks";
import { formatNumber, formatTime } from "../ui/format.js";
import { Scrollable } from "../ui/scrollable.js";
import type { Series } from "./to-series.js";

interface PointsTableProps {
  readonly name: string;
  readonly series: Series | undefined;
}

function Rows({ name, series }: { name: string; series: Series }) {
  const { times, avg, min, max } = series;
  const hasBand = avg.some((_, i) => min[i] !== max[i]);
  const columns = hasBand ? [avg, min, max] : [avg];
  return (
    <Scrollable class="scroll points" label={`Points of ${name}`}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Time</th>
            {(hasBand ? ["Average", "Lowest", "Highest"] : ["Value"]).map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((time, i) =>
            avg[i] == null ? null : (
              <tr key={time}>
                <td>{formatTime(time * 1000)}</td>
                {columns.map((column, n) => (
                  <td key={n}>{formatNumber(column[i] ?? 0)}</td>
                ))}
              </tr>
            ),
          )}
        </tbody>
      </table>
    </Scrollable>
  );
}

/** Lists the points of a chart. The rows are rendered only while the table is open. */
export function PointsTable({ name, series }: PointsTableProps) {
  const [open, setOpen] = useState(false);
  return (
    <details class="small" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Table of the shown points</summary>
      {open && series && <Rows name={name} series={series} />}
    </details>
  );
}
