import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { scaleNumbers } from "../ui/format.js";
import type { ChartColumns } from "./chart-columns.js";
import { findIsolatedPoints } from "./find-isolated-points.js";
import { lineDash, lineToken } from "./line-style.js";
import { selectByTouch } from "./select-by-touch.js";
import { createTimeFormatter } from "./time-formatter.js";

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

/** Draws a dashed vertical line at each event. */
function drawMarks(plot: uPlot, marks: readonly number[], colour: string) {
  const { ctx, bbox, valToPos } = plot;
  const { min = 0, max = 0 } = plot.scales["x"] ?? {};
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
  for (const at of marks) {
    if (at < (min ?? 0) || at > (max ?? 0)) continue;
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
  update(columns: ChartColumns, from: number, to: number, marks: readonly number[]): void;
  /** Moves the cursor to a point, as the pointer does. */
  pointAt(index: number): void;
  destroy(): void;
}

export interface ChartOptions {
  readonly host: HTMLElement;
  readonly columns: ChartColumns;
  /** The times of events, in seconds. */
  readonly marks: readonly number[];
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
  onHover,
  onZoom,
  onReset,
  ...range
}: ChartOptions): Chart {
  let { from, to, marks } = range;
  const lineCount = columns.lines.length;
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
      scales: { x: { range: () => [from, to] } },
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
          values: (_self, values, _axis, _space, step) => scaleNumbers(values, step),
          // Charts below each other align while their numbers have at most six characters.
          size: (_, texts) => 18 + 7 * Math.max(6, maxTextLength(texts)),
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
      plot.destroy();
    },
  };
}
