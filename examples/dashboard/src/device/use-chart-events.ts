import type { DeviceSummary, OtaHistoryEvent } from "@device-gateway/core/contract";
import { useMemo } from "preact/hooks";
import { call } from "../api/call.js";
import { keepLatestPerStep } from "../firmware/keep-latest-per-step.js";
import { updateStateLabels } from "../firmware/state-labels.js";
import { useLoad } from "../ui/use-load.js";

export interface ChartEvent {
  readonly id: number;
  /** Epoch seconds. */
  readonly at: number;
  readonly text: string;
}

/** States that end an update. The steps in between would hide the readings. */
const ends: readonly OtaHistoryEvent["state"][] = [
  ...(["succeeded", "failed", "rejected", "rolled_back", "timed_out"] as const),
];
const maxEvents = 100;

/** Reads the ends of firmware updates, to mark them in the charts. */
export function useChartEvents(
  { id: deviceId, firmwareVersion }: DeviceSummary,
  from: number,
  to: number,
): readonly ChartEvent[] {
  const { value } = useLoad(`${deviceId} ${firmwareVersion}`, (signal) =>
    call("readOtaHistory", { params: { deviceId }, query: { limit: maxEvents }, signal }),
  );
  return useMemo(
    () =>
      keepLatestPerStep(value?.events ?? [])
        .filter(({ state }) => ends.includes(state))
        .map(({ id, createdAt, state, offeredVersion, fromVersion }) => ({
          id,
          at: Date.parse(createdAt) / 1000,
          text: `${updateStateLabels[state][0]}: ${offeredVersion ?? fromVersion}`,
        }))
        .filter(({ at }) => at >= from && at <= to)
        .reverse(),
    [value, from, to],
  );
}
