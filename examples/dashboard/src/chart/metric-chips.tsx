import { useState } from "preact/hooks";
import type { FormatOf } from "../series/metric-format.js";
import { findMetricGroups } from "../series/metric-groups.js";
import * as chartsText from "../text/charts.js";
import { maxLines } from "./line-style.js";

/** More charts below each other are hard to read. */
const maxCharts = 6;
const initialChipCount = 10;
/** With more metrics than this, the user can search them. */
const searchFrom = 24;

interface MetricChipsProps {
  readonly names: readonly string[];
  readonly chosen: readonly string[];
  readonly formatOf: FormatOf;
  /** Whether all chosen metrics are in one chart. */
  readonly together: boolean;
  readonly onChoose: (chosen: readonly string[], together?: boolean) => void;
  /** Looks for metrics that the latest records lack. Undefined after that. */
  readonly onFindOlder: (() => void) | undefined;
}

/** Lets the user choose the metrics to chart. The chosen ones keep the order of the record. */
export function MetricChips(props: MetricChipsProps) {
  const { chosen, formatOf, together, onChoose, onFindOlder } = props;
  const [all, setAll] = useState(false);
  const [search, setSearch] = useState("");
  // A link may name a metric that no record has had lately.
  const names = [...new Set([...props.names, ...chosen])];
  const most = together ? maxLines : maxCharts;
  const full = chosen.length >= most;
  const found = names.filter((name) =>
    `${formatOf(name).name} ${name}`.toLowerCase().includes(search.toLowerCase()),
  );
  const shown = found.filter(
    (name, i) => all || i < initialChipCount || chosen.includes(name) || search !== "",
  );
  const toggle = (name: string) => {
    const next = chosen.includes(name) ? chosen.filter((it) => it !== name) : [...chosen, name];
    if (next.length > 0) onChoose(names.filter((it) => next.includes(it)).slice(0, most));
  };
  return (
    <fieldset class="chips plain-set" aria-label={chartsText.metrics}>
      {names.length > searchFrom && (
        <input
          type="search"
          class="input"
          aria-label={chartsText.searchMetrics}
          placeholder={chartsText.searchMetrics}
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      {findMetricGroups(names, formatOf).map(({ title, names: members }) => (
        <button
          type="button"
          class="chip group"
          key={title}
          aria-pressed={together && members.slice(0, maxLines).join() === chosen.join()}
          onClick={() => onChoose(members.slice(0, maxLines), true)}
        >
          {title} ({members.length})
        </button>
      ))}
      {shown.map((name) => (
        <button
          type="button"
          class="chip"
          key={name}
          aria-pressed={chosen.includes(name)}
          disabled={full && !chosen.includes(name)}
          onClick={() => toggle(name)}
        >
          {formatOf(name).name}
        </button>
      ))}
      {shown.length < found.length && (
        <button type="button" class="chip" onClick={() => setAll(true)}>
          {chartsText.moreMetrics(found.length - shown.length)}
        </button>
      )}
      {onFindOlder && (
        <button type="button" class="chip" onClick={onFindOlder}>
          {chartsText.earlierMetrics}
        </button>
      )}
      {full && (
        <span class="small muted">
          {together ? chartsText.tooManyLines(most) : chartsText.tooManyCharts(most)}
        </span>
      )}
    </fieldset>
  );
}
