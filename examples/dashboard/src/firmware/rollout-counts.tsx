import type { OtaState } from "@device-gateway/core/contract";
import * as firmwareText from "../text/firmware.js";
import * as statesText from "../text/update-states.js";
import { formatCount } from "../ui/format.js";
import { Card, Status, type Tone } from "../ui/parts.js";
import { updateStateLabels } from "./state-labels.js";

type Counts = Readonly<Partial<Record<OtaState, number>>>;

const groups: readonly (readonly [string, Tone])[] = [
  [firmwareText.inProgress, "accent"],
  [statesText.updated, "good"],
  [statesText.failed, "bad"],
  [statesText.cancelled, "plain"],
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
      title={firmwareText.progress}
      hint={all === 0 ? firmwareText.notOfferedYet : firmwareText.offeredThisRelease(all)}
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
