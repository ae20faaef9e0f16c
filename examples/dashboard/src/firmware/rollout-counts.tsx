import type { OtaState } from "@device-gateway/core/contract";
import { formatCount } from "../ui/format.js";
import { Card, Status, type Tone } from "../ui/parts.js";
import { updateStateLabels } from "./state-labels.js";

type Counts = Readonly<Partial<Record<OtaState, number>>>;

const groups: readonly (readonly [string, Tone])[] = [
  ["Under way", "accent"],
  ["Updated", "good"],
  ["Failed", "bad"],
  ["Cancelled", "plain"],
];

/** How the release does on the devices that were offered it: in all, and state by state. */
export function RolloutCounts({ counts }: { counts: Counts }) {
  const states = (Object.entries(counts) as [OtaState, number][]).filter(([, many]) => many > 0);
  const all = states.reduce((sum, [, many]) => sum + many, 0);
  const inTone = (tone: Tone) =>
    states.reduce((sum, [state, many]) => sum + (updateStateLabels[state][1] === tone ? many : 0), 0);
  const present = groups.filter(([, tone]) => inTone(tone) > 0);
  const shown = groups.filter(([, tone]) => tone !== "plain" || inTone(tone) > 0);
  return (
    <Card
      title="How it goes"
      hint={
        all === 0
          ? "No device has been offered it yet. Devices look for updates by themselves."
          : `${formatCount(all)} ${all === 1 ? "device was" : "devices were"} offered it.`
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
          {states.map(([state, many]) => `${updateStateLabels[state][0]} ${formatCount(many)}`).join(" · ")}
        </p>
      </div>
    </Card>
  );
}
