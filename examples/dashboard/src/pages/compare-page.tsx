import { CombinedChart } from "../chart/combined-chart.js";
import type { ChartMark } from "../chart/draw-chart.js";
import { useChartView } from "../chart/use-chart-view.js";
import { useComparedDevices, useComparedSeries } from "../compare/use-compared.js";
import { Link, place } from "../router.js";
import { onePerHardware, useHardwareFormats } from "../series/hardware-formats.js";
import { rangeNames } from "../series/range.js";
import * as compareText from "../text/compare.js";
import { Card, EmptyState, ErrorNotice, Segments, Skeleton } from "../ui/parts.js";
import { useTitle } from "../ui/title.js";

const maxDevices = 8;
const noMarks: readonly ChartMark[] = [];

/** Compares one metric of several devices in one chart. The URL names them. */
export function ComparePage() {
  useTitle(compareText.compareDevices);
  const { query } = place.value;
  const ids = query.getAll("device").slice(0, maxDevices);
  const { range, zoom, chosen, setView } = useChartView();
  const compared = useComparedDevices(ids);
  const { devices, names } = compared;
  const summaries = [...(devices?.values() ?? [])].map(({ device }) => device);
  const formatOf = useHardwareFormats(onePerHardware(summaries, maxDevices));
  const metric = chosen?.[0] ?? names[0];
  const histories = useComparedSeries(devices, { metric, range, zoom, formatOf });
  const { shown, complete, from, to } = histories;
  const failure = histories.failure ?? histories.value?.failure;
  if (ids.length < 2) {
    return (
      <EmptyState
        whole
        title={compareText.nothingToCompare}
        actions={
          <Link to="/" class="button primary">
            {compareText.yourDevices}
          </Link>
        }
      >
        <p>{compareText.nothingToCompareHint(maxDevices)}</p>
      </EmptyState>
    );
  }
  return (
    <>
      <div class="head">
        <h1>{compareText.compareCount(ids.length)}</h1>
      </div>
      <div class="stack">
        <ErrorNotice
          failure={compared.failure ?? compared.value?.failure}
          retry={compared.reload}
        />
        <Card
          title={compareText.trends}
          actions={
            <div class="actions">
              {zoom && (
                <button
                  type="button"
                  class="button small"
                  onClick={() => setView({ zoom: undefined })}
                >
                  {compareText.resetZoom}
                </button>
              )}
              <Segments
                label={compareText.range}
                options={rangeNames}
                chosen={zoom ? undefined : range}
                onChoose={(name) => setView({ range: name, zoom: undefined })}
              />
            </div>
          }
        >
          {devices === undefined ? (
            <Skeleton height={420} />
          ) : metric === undefined ? (
            <EmptyState title={compareText.nothingToDraw}>
              <p>{compareText.nothingToDrawHint}</p>
            </EmptyState>
          ) : (
            <div class="stack">
              <select
                class="input"
                aria-label={compareText.metric}
                value={metric}
                onChange={(event) => setView({ chosen: [event.currentTarget.value] })}
              >
                {[...new Set([...names, metric])].map((name) => (
                  <option key={name} value={name}>
                    {formatOf(name).name}
                  </option>
                ))}
              </select>
              <ErrorNotice failure={failure} retry={histories.reload} />
              <div class="stack" aria-busy={!complete && failure === undefined}>
                <CombinedChart
                  metrics={shown}
                  complete={complete}
                  from={from}
                  to={to}
                  marks={noMarks}
                  onZoom={(start, end) =>
                    setView({
                      zoom: {
                        from: Math.floor(start),
                        to: Math.max(Math.ceil(end), Math.floor(start) + 60),
                      },
                    })
                  }
                  onReset={() => setView({ zoom: undefined })}
                />
              </div>
            </div>
          )}
        </Card>
      </div>
    </>
  );
}
