import type { DeviceSummary, OtaHistoryEvent } from "@device-gateway/core/contract";
import { useMemo } from "preact/hooks";
import { call } from "../api/call.js";
import { keepLatestPerStep } from "../firmware/keep-latest-per-step.js";
import { updateStateLabels } from "../firmware/state-labels.js";
import type { Outage } from "../series/find-outages.js";
import * as chartsText from "../text/charts.js";
import { nameOfSetting } from "../text/setting-names.js";
import { formatDuration, roundTime } from "../ui/format.js";
import { useLoad } from "../ui/use-load.js";
import type { ChartMark } from "./draw-chart.js";

/** A mark with a text. Times are epoch seconds. */
export interface ChartEvent extends ChartMark {
  readonly id: string;
  readonly text: string;
}

/** States that end an update. The steps in between would hide the readings. */
const ends: readonly OtaHistoryEvent["state"][] = [
  ...(["succeeded", "failed", "rejected", "rolled_back", "timed_out"] as const),
];
const maxEvents = 100;

/** Reads the ends of firmware updates and the changes of settings. Adds the outages, to mark all in the charts. */
export function useChartEvents(
  { id: deviceId, firmwareVersion }: DeviceSummary,
  from: number,
  to: number,
  outages: readonly Outage[],
): readonly ChartEvent[] {
  const query = { limit: maxEvents };
  const { value: updates } = useLoad(`${deviceId} ${firmwareVersion}`, (signal) =>
    call("readOtaHistory", { params: { deviceId }, query, signal }),
  );
  const { value: config } = useLoad(deviceId, (signal) =>
    call("readConfigHistory", { params: { deviceId }, query, signal }),
  );
  return useMemo(() => {
    const updated = keepLatestPerStep(updates?.events ?? [])
      .filter(({ state }) => ends.includes(state))
      .map(({ id, createdAt, state, offeredVersion, fromVersion }) => ({
        id: `update-${id}`,
        at: Date.parse(createdAt) / 1000,
        text: `${updateStateLabels[state][0]}: ${offeredVersion ?? fromVersion}`,
      }));
    const configured = (config?.changes ?? []).map(({ id, changedAt, settings }) => ({
      id: `config-${id}`,
      at: Date.parse(changedAt) / 1000,
      text: chartsText.settingsChanged(settings.map(nameOfSetting).join(", ")),
    }));
    const silent = outages.map(({ at, until }) => ({
      ...{ id: `outage-${at}`, at, until },
      text: chartsText.noReadingsFor(formatDuration(roundTime(until - at))),
    }));
    return [...updated, ...configured, ...silent]
      .filter(({ at }) => at >= from && at <= to)
      .sort((a, b) => a.at - b.at);
  }, [updates, config, outages, from, to]);
}
