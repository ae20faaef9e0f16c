import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { scaleNumbers } from "../ui/format.js";
import { findIsolatedPoints } from "./find-isolated-points.js";
import { createTimeFormatter } from "./time-formatter.js";
import type { Series } from "./to-series.js";

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

const maxTextLength = (texts: readonly string[] | null) =>
  Math.max(0, ...(texts ?? []).map((text) => text.length));

/** Draws a dot at the latest value. */
function drawLatestDot(plot: uPlot, colour: string) {
  const [times, values = []] = plot.data;
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

const toData = ({ times, avg, min, max }: Series) =>
  [times, avg, min, max] as unknown as uPlot.AlignedData;

export interface Chart {
  update(series: Series, from: number, to: number): void;
  /** Moves the cursor to a point, as the pointer does. */
  pointAt(index: number): void;
  destroy(): void;
}

export interface ChartOptions {
  readonly host: HTMLElement;
  readonly series: Series;
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

/** Draws a line of averages in a band from minimum to maximum. Dragging selects a range to zoom into. */
export function drawChart({
  host,
  series,
  onHover,
  onZoom,
  onReset,
  ...range
}: ChartOptions): Chart {
  let { from, to } = range;
  const text = readColour("--muted");
  const grid = { stroke: readColour("--chart-grid"), width: 1 };
  const line = readColour("--chart-line");
  const font = "12px system-ui, sans-serif";
  const axis = { stroke: text, grid, font, ticks: { show: false } };
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
        points: { size: 8, fill: line },
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
          values: (_self, times, _axis, _space, step) => timeTicks(times, step),
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
        {
          stroke: line,
          width: 1.75,
          points: {
            show: false,
            filter: (self, index) => findIsolatedPoints([...(self.data[index] ?? [])]),
            size: 5,
            fill: line,
          },
        },
        { stroke: "transparent", points: { show: false } },
        { stroke: "transparent", points: { show: false } },
      ],
      bands: [{ series: [3, 2], fill: readColour("--chart-band") }],
      hooks: {
        draw: [(self) => drawLatestDot(self, line)],
        setCursor: [(self) => onHover(self.cursor.idx ?? null)],
        setSelect: [
          (self) => {
            const { left, width } = self.select;
            if (width < 8) return;
            onZoom(self.posToVal(left, "x"), self.posToVal(left + width, "x"));
            self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          },
        ],
      },
    },
    toData(series),
    host,
  );
  const resized = new ResizeObserver(() =>
    plot.setSize({ width: host.clientWidth, height: host.clientHeight }),
  );
  resized.observe(host);
  return {
    update(next, newFrom, newTo) {
      from = newFrom;
      to = newTo;
      plot.setData(toData(next));
    },
    pointAt(index) {
      const left = plot.valToPos(plot.data[0][index] ?? 0, "x");
      plot.setCursor({ left, top: 0 });
    },
    destroy() {
      resized.disconnect();
      plot.destroy();
    },
  };
}
