import type { DeviceSummary, OtaHistoryEvent } from "@device-gateway/core/contract";
import { useEffect, useMemo } from "preact/hooks";
import { call } from "../api/call.js";
import { keepLatestPerStep } from "../firmware/keep-latest-per-step.js";
import { updateStateLabels } from "../firmware/state-labels.js";
import type { Outage } from "../series/find-outages.js";
import * as chartsText from "../text/charts.js";
import { nameOfSetting } from "../text/setting-names.js";
import { formatDuration, roundTime } from "../ui/format.js";
import { useLoad } from "../ui/use-load.js";
import type { ChartMark } from "./draw-chart.js";
import type { TimeRange } from "./use-time-range.js";

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

/** Whether a page of a list goes back to `from` (epoch seconds): it is the last one, or its oldest entry is earlier. */
const reaches = (from: number, nextCursor: string | null | undefined, oldest: string | undefined) =>
  nextCursor === null || (oldest !== undefined && Date.parse(oldest) / 1000 < from);

/**
 * Reads the ends of firmware updates and the changes of settings. Adds the outages, to mark all in the charts. The
 * events are undefined until both have arrived, so that all appear together. `hasAllEvents` says whether the two lists go
 * back to the start of the charts. `eventLoads` are the two requests.
 */
export function useChartEvents(
  { id: deviceId, firmwareVersion }: DeviceSummary,
  { from, to, round }: TimeRange,
  outages: readonly Outage[],
) {
  const query = { limit: maxEvents };
  const ota = useLoad(deviceId, (signal) =>
    call("readOtaHistory", { params: { deviceId }, query, signal }),
  );
  const { refresh: refreshUpdates } = ota;
  useEffect(refreshUpdates, [refreshUpdates, firmwareVersion, round]);
  const settings = useLoad(deviceId, (signal) =>
    call("readConfigHistory", { params: { deviceId }, query, signal }),
  );
  const { refresh: refreshSettings } = settings;
  useEffect(refreshSettings, [refreshSettings, round]);
  const [updates, config] = [ota.value, settings.value];
  const isLoaded = [ota, settings].every(({ value, failure }) => value ?? failure);
  const events = useMemo((): readonly ChartEvent[] | undefined => {
    if (!isLoaded) return undefined;
    const updated = keepLatestPerStep(updates?.events ?? [])
      .filter(({ state }) => ends.includes(state))
      .map(({ id, createdAt, state, offeredVersion, fromVersion }) => ({
        id: `update-${id}`,
        at: Date.parse(createdAt) / 1000,
        text: `${updateStateLabels[state][0]}: ${offeredVersion ?? fromVersion}`,
      }));
    const configured = (config?.changes ?? []).map(({ id, changedAt, settings: changed }) => ({
      id: `config-${id}`,
      at: Date.parse(changedAt) / 1000,
      text: chartsText.settingsChanged(changed.map(nameOfSetting).join(", ")),
    }));
    const silent = outages.map(({ at, until }) => ({
      ...{ id: `outage-${at}`, at, until },
      text: chartsText.noReadingsFor(formatDuration(roundTime(until - at))),
    }));
    const all: readonly ChartEvent[] = [...updated, ...configured, ...silent];
    return all
      .filter(({ at, until = at }) => until >= from && at <= to)
      .sort((a, b) => a.at - b.at);
  }, [isLoaded, updates, config, outages, from, to]);
  const hasAllEvents =
    reaches(from, updates?.nextCursor, updates?.events.at(-1)?.createdAt) &&
    reaches(from, config?.nextCursor, config?.changes.at(-1)?.changedAt);
  return { events, hasAllEvents, eventLoads: [ota, settings] };
}
