import type { DeviceSummary } from "@device-gateway/core/contract";
import { useMemo } from "preact/hooks";
import { isOperator } from "../session.js";
import * as glanceText from "../text/glance.js";
import { formatCount } from "../ui/format.js";
import type { Tone } from "../ui/parts.js";
import { countBy, countByFilter, type Filter } from "./filter-devices.js";
import { Rollouts } from "./rollouts.js";

/** With fewer devices the list shows everything at a glance. */
export const glanceFrom = 10;
/** The most bars of one list. */
const maxBars = 5;

const states: readonly (readonly [Filter, string, Tone])[] = [
  ["refused", glanceText.recordsRefused, "bad"],
  ["failed", glanceText.updateFailed, "bad"],
  ["offline", glanceText.offline, "warn"],
  ["revoked", glanceText.revoked, "bad"],
  ["update", glanceText.updateAvailable, "accent"],
  ["online", glanceText.online, "good"],
];

interface BarsProps {
  readonly title: string;
  readonly counts: readonly (readonly [string, number])[];
  readonly all: number;
  readonly chosen: string;
  readonly onChoose: (value: string) => void;
}

function Bars({ title, counts, all, chosen, onChoose }: BarsProps) {
  const rest = counts.length - maxBars;
  return (
    <div class="glance-part">
      <h2 class="small muted">{title}</h2>
      <ul class="bars">
        {counts.slice(0, maxBars).map(([value, count]) => (
          <li key={value}>
            <button
              type="button"
              class="bar-button"
              aria-pressed={chosen === value}
              onClick={() => onChoose(chosen === value ? "" : value)}
            >
              <span class="bar-name">{value}</span>
              <span>{formatCount(count)}</span>
              <span
                class="bar-fill"
                style={{ width: `${(100 * count) / all}%` }}
                aria-hidden="true"
              />
            </button>
          </li>
        ))}
      </ul>
      {rest > 0 && <p class="small muted">{glanceText.andMore(rest)}</p>}
    </div>
  );
}

interface GlanceProps {
  readonly devices: readonly DeviceSummary[];
  readonly filter: Filter;
  readonly hardware: string;
  readonly version: string;
  readonly onFilter: (filter: Filter) => void;
  readonly onHardware: (hardware: string) => void;
  readonly onVersion: (version: string) => void;
}

/** Counts a fleet by state, the most urgent first, and by hardware and firmware. Each count filters the list. */
export function Glance(props: GlanceProps) {
  const { devices, filter, hardware, version, onFilter, onHardware, onVersion } = props;
  const counts = useMemo(() => countByFilter(devices), [devices]);
  const byHardware = useMemo(() => countBy(devices, "targetHardware"), [devices]);
  const byVersion = useMemo(() => countBy(devices, "firmwareVersion"), [devices]);
  return (
    <section class="card glance" aria-label={glanceText.fleetAtAGlance}>
      <div class="glance-part">
        <h2 class="small muted">{glanceText.state}</h2>
        <ul class="states">
          {states.map(([state, words, tone]) => (
            <li key={state}>
              <button
                type="button"
                class={`state-button ${counts[state] > 0 ? tone : ""}`}
                aria-pressed={filter === state}
                onClick={() => onFilter(filter === state ? "all" : state)}
              >
                <span class="state-count">{formatCount(counts[state])}</span>
                <span class="small">{words}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
      <Bars
        title={glanceText.firmware}
        counts={byVersion}
        all={devices.length}
        chosen={version}
        onChoose={onVersion}
      />
      <Bars
        title={glanceText.hardware}
        counts={byHardware}
        all={devices.length}
        chosen={hardware}
        onChoose={onHardware}
      />
      {isOperator.value && <Rollouts />}
    </section>
  );
}
