import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { ChartColumns } from "../series/chart-columns.js";
import { findIsolatedPoints } from "../series/find-isolated-points.js";
import type { MetricFormat } from "../series/metric-format.js";
import { scaleRange } from "../series/scale-range.js";
import { createTimeFormatter } from "../series/time-formatter.js";
import { scaleNumbers } from "../ui/format.js";
import type { AxisGroup } from "./align-axes.js";
import { lineDash, lineToken } from "./line-style.js";
import { selectByTouch } from "./select-by-touch.js";

const readColour = (name: string) => {
  // A custom property with `light-dark()` is only resolved when an element uses it.
  const probe = document.createElement("i");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
};

const timeTicks = createTimeFormatter();
/** Half of the width of a time, in pixels. */
const labelRoom = 30;

const maxTextLength = (texts: readonly string[] | null) =>
  Math.max(0, ...(texts ?? []).map((text) => text.length));

/** Draws a dot at the latest value of a line. */
function drawLatestDot(plot: uPlot, line: number, colour: string) {
  const times = plot.data[0];
  const values = plot.data[line + 1] ?? [];
  const index = values.findLastIndex((value) => value != null);
  const [time, value] = [times[index], values[index]];
  if (time === undefined || value == null) return;
  const { ctx, valToPos } = plot;
  ctx.save();
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.arc(valToPos(time, "x", true), valToPos(value, "y", true), 3.5 * devicePixelRatio, 0, 7);
  ctx.fill();
  ctx.restore();
}

const toData = ({ times, lines, min, max }: ChartColumns) =>
  [times, ...lines, min, max] as unknown as uPlot.AlignedData;

/** An event, or a time without readings. Both times are in seconds. */
export interface ChartMark {
  readonly at: number;
  /** Undefined for an event. */
  readonly until?: number | undefined;
}

/** Fills each time without readings. */
function drawOutages(plot: uPlot, marks: readonly ChartMark[], colour: string) {
  const { ctx, bbox, valToPos } = plot;
  const { min = 0, max = 0 } = plot.scales["x"] ?? {};
  ctx.save();
  ctx.fillStyle = colour;
  for (const { at, until } of marks) {
    if (until === undefined) continue;
    const left = valToPos(Math.max(at, min ?? 0), "x", true);
    const right = valToPos(Math.min(until, max ?? 0), "x", true);
    if (right > left) ctx.fillRect(left, bbox.top, right - left, bbox.height);
  }
  ctx.restore();
}

/** Draws a dashed vertical line at each event. */
function drawMarks(plot: uPlot, marks: readonly ChartMark[], colour: string) {
  const { ctx, bbox, valToPos } = plot;
  const { min = 0, max = 0 } = plot.scales["x"] ?? {};
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
  for (const { at, until } of marks) {
    if (until !== undefined || at < (min ?? 0) || at > (max ?? 0)) continue;
    const x = Math.round(valToPos(at, "x", true));
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

const noSelection = { left: 0, top: 0, width: 0, height: 0 };

export interface Chart {
  update(columns: ChartColumns, from: number, to: number, marks: readonly ChartMark[]): void;
  /** Moves the cursor to a point, as the pointer does. */
  pointAt(index: number): void;
  destroy(): void;
}

export interface ChartOptions {
  readonly host: HTMLElement;
  readonly columns: ChartColumns;
  readonly marks: readonly ChartMark[];
  /** The unit of the axis, and where it begins and ends. */
  readonly scale: Omit<MetricFormat, "name">;
  readonly axes?: AxisGroup | undefined;
  /** Seconds. */
  readonly from: number;
  /** Seconds. */
  readonly to: number;
  /** Called with the index of the point under the pointer, or null. */
  readonly onHover: (index: number | null) => void;
  /** Called with the selected range in seconds. */
  readonly onZoom: (from: number, to: number) => void;
  /** Called on a double click. */
  readonly onReset: () => void;
}

/** Draws lines in a band from minimum to maximum. Dragging selects a range to zoom into. */
export function drawChart({
  host,
  columns,
  scale,
  axes,
  onHover,
  onZoom,
  onReset,
  ...range
}: ChartOptions): Chart {
  let { from, to, marks } = range;
  const lineCount = columns.lines.length;
  const { unit } = scale;
  const outageColour = readColour("--chart-outage");
  const text = readColour("--muted");
  const grid = { stroke: readColour("--chart-grid"), width: 1 };
  const colours = columns.lines.map((_, i) => readColour(lineToken(i)));
  const markColour = readColour("--line-strong");
  const font = "12px system-ui, sans-serif";
  const axis = { stroke: text, grid, font, ticks: { show: false } };
  const zoomTo = (self: uPlot, left: number, width: number) => {
    onZoom(self.posToVal(left, "x"), self.posToVal(left + width, "x"));
    self.setSelect(noSelection, false);
  };
  const plot = new uPlot(
    {
      width: host.clientWidth,
      height: host.clientHeight,
      padding: [8, 8, 0, 0],
      legend: { show: false },
      scales: {
        x: { range: () => [from, to] },
        y: { range: (_self, low, high) => scaleRange(low, high, scale) },
      },
      cursor: {
        y: false,
        drag: { x: true, y: false, setScale: false },
        points: { size: 8, fill: (_self, index) => colours[index - 1] ?? text },
        sync: { key: "device" },
        bind: {
          dblclick: () => () => {
            onReset();
            return null;
          },
        },
      },
      axes: [
        {
          ...axis,
          values: (self, times, _axis, _space, step) =>
            timeTicks(times, step).map((label, i) => {
              const share = ((times[i] ?? from) - from) / (to - from);
              // A label at the right edge would be cut off.
              return (1 - share) * self.width < labelRoom ? "" : label;
            }),
          space: 96,
          size: 40,
        },
        {
          ...axis,
          values: (_self, values, _axis, _space, step) =>
            scaleNumbers(values, step).map((number) => (unit ? `${number} ${unit}` : number)),
          size: (self, texts) => {
            const width = 18 + 7 * Math.max(6, maxTextLength(texts));
            return axes?.widthFor(self, width, () => self.redraw(false, true)) ?? width;
          },
          space: 26,
        },
      ],
      series: [
        {},
        ...colours.map((colour, i) => ({
          stroke: colour,
          width: lineCount > 1 ? 1.25 : 1.75,
          dash: lineDash(i),
          points: {
            show: false,
            filter: (self: uPlot, index: number) =>
              findIsolatedPoints([...(self.data[index] ?? [])]),
            size: 5,
            fill: colour,
          },
        })),
        { stroke: "transparent", points: { show: false } },
        { stroke: "transparent", points: { show: false } },
      ],
      bands: [{ series: [lineCount + 2, lineCount + 1], fill: readColour("--chart-band") }],
      hooks: {
        drawClear: [(self) => drawOutages(self, marks, outageColour)],
        draw: [
          (self) => drawMarks(self, marks, markColour),
          (self) => {
            for (const [i, colour] of colours.entries()) drawLatestDot(self, i, colour);
          },
        ],
        setCursor: [(self) => onHover(self.cursor.idx ?? null)],
        setSelect: [
          (self) => {
            const { left, width } = self.select;
            if (width < 8) return;
            zoomTo(self, left, width);
          },
        ],
      },
    },
    toData(columns),
    host,
  );
  const hideSelection = () => plot.setSelect(noSelection, false);
  const stopTouch = selectByTouch(plot.over, {
    onPoint: (left) => plot.setCursor({ left, top: 0 }),
    onMove: (left, width) =>
      plot.setSelect({ left, width, top: 0, height: plot.over.clientHeight }, false),
    onSelect: (left, width) => zoomTo(plot, left, width),
    onCancel: hideSelection,
  });
  const resized = new ResizeObserver(() =>
    plot.setSize({ width: host.clientWidth, height: host.clientHeight }),
  );
  resized.observe(host);
  return {
    update(next, newFrom, newTo, newMarks) {
      from = newFrom;
      to = newTo;
      marks = newMarks;
      plot.setData(toData(next));
    },
    pointAt(index) {
      const left = plot.valToPos(plot.data[0][index] ?? 0, "x");
      plot.setCursor({ left, top: 0 });
    },
    destroy() {
      stopTouch();
      resized.disconnect();
      axes?.leave(plot);
      plot.destroy();
    },
  };
}
