import { useState } from "preact/hooks";
import { displayName } from "./metric-names.js";

/** More charts at once are hard to read. */
const maxCharts = 6;
const initialChipCount = 10;
/** With more metrics than this, the user can search them. */
const searchFrom = 24;

interface MetricChipsProps {
  readonly names: readonly string[];
  readonly chosen: readonly string[];
  readonly onChoose: (chosen: readonly string[]) => void;
}

/** Lets the user choose the metrics to chart. The chosen ones keep the order of the record. */
export function MetricChips({ names, chosen, onChoose }: MetricChipsProps) {
  const [all, setAll] = useState(false);
  const [search, setSearch] = useState("");
  const full = chosen.length >= maxCharts;
  const found = names.filter((name) => name.toLowerCase().includes(search.toLowerCase()));
  const shown = found.filter(
    (name, i) => all || i < initialChipCount || chosen.includes(name) || search !== "",
  );
  const toggle = (name: string) => {
    const next = chosen.includes(name) ? chosen.filter((it) => it !== name) : [...chosen, name];
    if (next.length > 0) onChoose(names.filter((it) => next.includes(it)).slice(0, maxCharts));
  };
  return (
    <fieldset class="chips plain-set" aria-label="Metrics">
      {names.length > searchFrom && (
        <input
          type="search"
          class="input"
          aria-label="Search metrics"
          placeholder="Search metrics"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      {shown.map((name) => (
        <button
          type="button"
          class="chip"
          key={name}
          aria-pressed={chosen.includes(name)}
          disabled={full && !chosen.includes(name)}
          onClick={() => toggle(name)}
        >
          {displayName(name)}
        </button>
      ))}
      {full && (
        <span class="small muted">At most {maxCharts} charts. Remove one to add another.</span>
      )}
      {shown.length < found.length && (
        <button type="button" class="chip" onClick={() => setAll(true)}>
          {found.length - shown.length} more…
        </button>
      )}
    </fieldset>
  );
}
