import { useMemo } from "preact/hooks";
import { place, setQuery } from "../router.js";
import { type RangeName, rangeSeconds, type Zoom } from "../series/range.js";

/** What the charts show. It is kept in the page's URL, so that a reload or another tab shows the same. */
interface ChartView {
  readonly range: RangeName;
  /** Whether the user chose the range. */
  readonly isChosenRange: boolean;
  readonly zoom: Zoom | undefined;
  /** The chosen metrics. Undefined until the user chooses. */
  readonly chosen: readonly string[] | undefined;
  /** Whether all chosen metrics are in one chart. */
  readonly together: boolean;
}

const defaultRange = "24h";

function readZoom(text: string | null): Zoom | undefined {
  const [, from, to] = /^(\d{1,11})-(\d{1,11})$/.exec(text ?? "") ?? [];
  const zoom = { from: Number(from), to: Number(to) };
  return zoom.from < zoom.to ? zoom : undefined;
}

/** Returns what the URL says about the charts, and a function that changes it. */
export function useChartView() {
  const { query } = place.value;
  const [range, zoom, chosen] = [query.get("range"), query.get("zoom"), query.getAll("metric")];
  const together = query.get("charts") === "one";
  const key = JSON.stringify([range, zoom, chosen, together]);
  const view = useMemo<ChartView>(() => {
    const isChosenRange = range !== null && Object.hasOwn(rangeSeconds, range);
    return {
      range: isChosenRange ? (range as RangeName) : defaultRange,
      isChosenRange,
      zoom: readZoom(zoom),
      chosen: chosen.length > 0 ? chosen : undefined,
      together,
    };
  }, [key]);
  const setView = (change: Partial<Omit<ChartView, "isChosenRange">>) => {
    const next = { ...view, ...change };
    const isChosenRange = view.isChosenRange || change.range !== undefined;
    setQuery({
      range: isChosenRange ? next.range : undefined,
      zoom: next.zoom && `${next.zoom.from}-${next.zoom.to}`,
      metric: next.chosen,
      charts: next.together ? "one" : undefined,
    });
  };
  return { ...view, setView };
}
