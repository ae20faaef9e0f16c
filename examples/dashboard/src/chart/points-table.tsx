import { useState } from "preact/hooks";
import type { ShownTable } from "../series/shown-table.js";
import * as chartsText from "../text/charts.js";
import { formatNumber, formatTime } from "../ui/format.js";
import { Scrollable } from "../ui/scrollable.js";

interface PointsTableProps {
  readonly name: string;
  readonly table: ShownTable | undefined;
}

function Rows({ name, table: { times, columns } }: { name: string; table: ShownTable }) {
  return (
    <Scrollable class="scroll points" label={chartsText.pointsOf(name)}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{chartsText.time}</th>
            {columns.map(({ title }) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((time, i) =>
            columns.every(({ values }) => values[i] == null) ? null : (
              <tr key={time}>
                <td>{formatTime(time * 1000)}</td>
                {columns.map(({ title, values, decimals }) => (
                  <td key={title}>{values[i] == null ? "–" : formatNumber(values[i], decimals)}</td>
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
export function PointsTable({ name, table }: PointsTableProps) {
  const [open, setOpen] = useState(false);
  return (
    <details class="small" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{chartsText.tableOfPoints}</summary>
      {open && table && <Rows name={name} table={table} />}
    </details>
  );
}
