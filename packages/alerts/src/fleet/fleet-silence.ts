import {
  type AlertRule,
  type AlertStore,
  type Clock,
  fleetSilenceRule,
  fleetSilenceSubject,
} from "@device-gateway/core/store";
import { createTransitions } from "../judgement/transitions.js";
import type { FleetWatch } from "./fleet-watch.js";
import {
  type Census,
  countByOwner,
  type OwnersCensus,
  sumOf,
  withoutMostSilent,
} from "./owners-census.js";

/** Silences of the whole fleet that one alert can replace. Below that, each is an alert of its own. */
const leastForFleet = 10;

const isFleetSilent = ({ watched, overdue }: Census, share: number) =>
  overdue >= leastForFleet && overdue > share * watched;

/**
 * Whether the fleet is silent, also without the owner who has the most silent devices. Otherwise one customer could turn
 * off everybody's alerts about silence. If nobody else has watched devices, this owner alone decides.
 */
function areOwnersSilent(counts: OwnersCensus, share: number): boolean {
  const others = sumOf(withoutMostSilent(counts));
  const areOthersSilent = others.watched === 0 || others.overdue > share * others.watched;
  return isFleetSilent(sumOf(counts), share) && areOthersSilent;
}

const toRule = (at: number): AlertRule => ({
  ...{ id: fleetSilenceRule, revision: 1, ownerId: null, deviceId: null },
  ...{ targetHardware: null, name: "Much of the fleet is silent" },
  condition: { kind: "silent", intervals: 1 },
  ...{ reminderSeconds: null, mutedUntil: null, createdAt: at, changedAt: at },
});

export interface FleetSilenceOptions {
  readonly alerts: Pick<AlertStore, "firing" | "due">;
  readonly fleet: FleetWatch;
  /** The share of the watched devices that must be silent for the alert to fire. Half of it keeps the alert firing. */
  readonly fleetShare: number;
  readonly clock: Clock;
  readonly newId: () => string;
}

/**
 * Fires or clears the alert that replaces all others about silence. `round` is what the last whole round counted.
 * Counts the devices by owner only if `round` may be enough for the alert. Returns whether the alert fires.
 */
type JudgeFleetSilence = (round: Census, signal: AbortSignal | undefined) => Promise<boolean>;

/** Creates the judgement of the silence of the fleet. */
export function createFleetSilence({
  alerts,
  fleet,
  fleetShare,
  clock,
  newId,
}: FleetSilenceOptions): JudgeFleetSilence {
  return async (round, signal) => {
    const [alert] = (await alerts.firing([fleetSilenceSubject])).filter(
      ({ ruleId }) => ruleId === fleetSilenceRule,
    );
    const share = alert === undefined ? fleetShare : fleetShare / 2;
    let isSilent = isFleetSilent(round, share);
    if (isSilent) {
      const counts = await countByOwner(alerts, clock.now(), signal);
      if (counts === null) return alert !== undefined;
      isSilent = areOwnersSilent(counts, share);
    }
    if (isSilent === (alert !== undefined)) return isSilent;
    const { watch, notes } = await fleet.find();
    const at = clock.now();
    const create = createTransitions(at, newId);
    const measured = { silentDevices: round.overdue, watchedDevices: round.watched };
    const about = { subject: fleetSilenceSubject, deviceId: "" };
    const transition =
      alert === undefined
        ? create.fire(toRule(at), about, measured)
        : create.clear(null, alert, measured);
    await fleet.judge(watch, notes, [transition]);
    return isSilent;
  };
}
