import { useEffect, useReducer, useRef } from "preact/hooks";
import type { ChartColumns } from "../series/chart-columns.js";
import type { MetricFormat } from "../series/metric-format.js";
import * as chartsText from "../text/charts.js";
import type { AxisGroup } from "./align-axes.js";
import { type Chart, type ChartMark, drawChart } from "./draw-chart.js";
import { nextPoint } from "./next-point.js";

export interface PlotView {
  /** Seconds. */
  readonly from: number;
  /** Seconds. */
  readonly to: number;
  readonly marks: readonly ChartMark[];
  /** The charts whose axes have one width. Undefined for a chart that is alone. */
  readonly axes?: AxisGroup;
  readonly onZoom: (from: number, to: number) => void;
  readonly onReset: () => void;
}

interface PlotAreaProps extends PlotView {
  readonly name: string;
  /** The unit of the axis, and where it begins and ends. */
  readonly scale: Omit<MetricFormat, "name">;
  readonly columns: ChartColumns | undefined;
  readonly tall: boolean;
  /** The index of the point under the cursor, or null. */
  readonly hovered: number | null;
  readonly onHover: (index: number | null) => void;
  /** Describes the point under the cursor, for screen readers. */
  readonly valueText: string;
}

/** Calls the listener when the page's colours change. Returns how often they did. */
function useTheme(): number {
  const [theme, onTheme] = useReducer((round: number) => round + 1, 0);
  useEffect(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const repaint = () => onTheme(undefined);
    dark.addEventListener("change", repaint);
    addEventListener("themechange", repaint);
    return () => {
      dark.removeEventListener("change", repaint);
      removeEventListener("themechange", repaint);
    };
  }, []);
  return theme;
}

/** The area of a chart, with a cursor that the pointer, a finger and the arrow keys move. */
export function PlotArea(props: PlotAreaProps) {
  const { name, scale, columns, from, to, marks, tall, hovered, onHover, valueText } = props;
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const theme = useTheme();
  const lineCount = columns?.lines.length;
  const { unit, min, max } = scale;
  useEffect(() => {
    const { columns: first } = latest.current;
    if (!host.current || !first) return;
    chart.current = drawChart({
      ...latest.current,
      host: host.current,
      columns: first,
      onHover: (index) => latest.current.onHover(index),
      onZoom: (start, end) => latest.current.onZoom(start, end),
      onReset: () => latest.current.onReset(),
    });
    return () => {
      chart.current?.destroy();
      chart.current = undefined;
    };
  }, [lineCount, theme, unit, min, max]);
  useEffect(() => {
    if (columns) chart.current?.update(columns, from, to, marks);
  }, [columns, from, to, marks]);

  const points = columns?.max ?? [];
  const current = hovered ?? points.findLastIndex((value) => value !== null);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = nextPoint(points, current, event.key);
    if (next === undefined) return;
    event.preventDefault();
    chart.current?.pointAt(next);
    onHover(next);
  };
  return (
    <div
      class={`plot ${tall ? "tall" : ""}`}
      ref={host}
      role="slider"
      tabIndex={0}
      aria-label={chartsText.pointUnderTheCursor(name)}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, points.length - 1)}
      aria-valuenow={Math.max(0, current)}
      aria-valuetext={valueText}
      onKeyDown={onKeyDown}
    />
  );
}
