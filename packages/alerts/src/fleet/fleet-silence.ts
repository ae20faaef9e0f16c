import {
  type AlertRule,
  type AlertStore,
  type Clock,
  fleetSilenceRule,
  fleetSilenceSubject,
} from "@device-gateway/core/store";
import { createTransitions } from "../judgement/transitions.js";
import type { FleetWatch } from "./fleet-watch.js";

/** Silences of the whole fleet that one alert can replace. Below that, each is an alert of its own. */
const leastForFleet = 10;

/** The devices that rules about silence waited for in one whole round. */
export interface Census {
  readonly watched: number;
  readonly overdue: number;
}

const isFleetSilent = ({ watched, overdue }: Census, share: number) =>
  overdue >= leastForFleet && overdue > share * watched;

const toRule = (at: number): AlertRule => ({
  ...{ id: fleetSilenceRule, revision: 1, ownerId: null, deviceId: null },
  ...{ targetHardware: null, name: "Much of the fleet is silent" },
  condition: { kind: "silent", intervals: 1 },
  ...{ reminderSeconds: null, mutedUntil: null, createdAt: at, changedAt: at },
});

export interface FleetSilenceOptions {
  readonly alerts: Pick<AlertStore, "firing">;
  readonly fleet: FleetWatch;
  /** The share of the watched devices that must be silent for the alert to fire. Half of it keeps the alert firing. */
  readonly fleetShare: number;
  readonly clock: Clock;
  readonly newId: () => string;
}

/**
 * Creates the function that fires or clears the alert that replaces all others about silence. It returns whether that
 * alert fires.
 */
export function createFleetSilence({
  alerts,
  fleet,
  fleetShare,
  clock,
  newId,
}: FleetSilenceOptions): (now: Census) => Promise<boolean> {
  return async (now) => {
    const [alert] = (await alerts.firing([fleetSilenceSubject])).filter(
      ({ ruleId }) => ruleId === fleetSilenceRule,
    );
    const isSilent = isFleetSilent(now, alert === undefined ? fleetShare : fleetShare / 2);
    if (isSilent === (alert !== undefined)) return isSilent;
    const { watch, notes } = await fleet.find();
    const at = clock.now();
    const create = createTransitions(at, newId);
    const measured = { silentDevices: now.overdue, watchedDevices: now.watched };
    const about = { subject: fleetSilenceSubject, deviceId: "" };
    const transition =
      alert === undefined
        ? create.fire(toRule(at), about, measured)
        : create.clear(null, alert, measured);
    await fleet.judge(watch, notes, [transition]);
    return isSilent;
  };
}
