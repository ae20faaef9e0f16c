import type { OtaState } from "@device-gateway/core/contract";
import { formatCount } from "../ui/format.js";
import { Card, Status, type Tone } from "../ui/parts.js";
import { updateStateLabels } from "./state-labels.js";

type Counts = Readonly<Partial<Record<OtaState, number>>>;

const groups: readonly (readonly [string, Tone])[] = [
  ["In progress", "accent"],
  ["Updated", "good"],
  ["Failed", "bad"],
  ["Cancelled", "plain"],
];

/** Counts the devices that were offered the release, in groups and by state. */
export function RolloutCounts({ counts }: { counts: Counts }) {
  const states = (Object.entries(counts) as [OtaState, number][]).filter(([, n]) => n > 0);
  const all = states.reduce((sum, [, n]) => sum + n, 0);
  const inTone = (tone: Tone) =>
    states.reduce((sum, [state, n]) => sum + (updateStateLabels[state][1] === tone ? n : 0), 0);
  const present = groups.filter(([, tone]) => inTone(tone) > 0);
  const shown = groups.filter(([, tone]) => tone !== "plain" || inTone(tone) > 0);
  return (
    <Card
      title="Progress"
      hint={
        all === 0
          ? "No device has been offered this release yet. Devices check for updates by themselves."
          : `${formatCount(all)} ${all === 1 ? "device was" : "devices were"} offered this release.`
      }
    >
      <div class="stack-small">
        <dl class="counts">
          {shown.map(([words, tone]) => (
            <div key={tone}>
              <dt>
                <Status tone={tone}>{words}</Status>
              </dt>
              <dd>{formatCount(inTone(tone))}</dd>
            </div>
          ))}
        </dl>
        <div class="count-bar" aria-hidden="true">
          {present.map(([, tone]) => (
            <span key={tone} class={tone} style={{ flexGrow: inTone(tone) }} />
          ))}
        </div>
        <p class="small muted count-states">
          {states
            .map(([state, n]) => `${updateStateLabels[state][0]} ${formatCount(n)}`)
            .join(" · ")}
        </p>
      </div>
    </Card>
  );
}
