import { useState } from "preact/hooks";

/** More charts at once are hard to read. */
const maxCharts = 6;
const initialChipCount = 10;

interface MetricChipsProps {
  readonly names: readonly string[];
  readonly chosen: readonly string[];
  readonly onChoose: (chosen: readonly string[]) => void;
}

/** Lets the user choose the metrics to chart. The chosen ones keep the order of the record. */
export function MetricChips({ names, chosen, onChoose }: MetricChipsProps) {
  const [all, setAll] = useState(false);
  const shown = names.filter((name, i) => all || i < initialChipCount || chosen.includes(name));
  const toggle = (name: string) => {
    const next = chosen.includes(name) ? chosen.filter((it) => it !== name) : [...chosen, name];
    if (next.length > 0) onChoose(names.filter((it) => next.includes(it)).slice(0, maxCharts));
  };
  return (
    <fieldset class="chips plain-set" aria-label="Metrics">
      {shown.map((name) => (
        <button
          type="button"
          class="chip"
          key={name}
          aria-pressed={chosen.includes(name)}
          onClick={() => toggle(name)}
        >
          {name}
        </button>
      ))}
      {shown.length < names.length && (
        <button type="button" class="chip" onClick={() => setAll(true)}>
          {names.length - shown.length} more…
        </button>
      )}
    </fieldset>
  );
}
