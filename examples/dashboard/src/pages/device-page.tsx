import { useCallback, useEffect, useState } from "preact/hooks";
import { call } from "../api/call.js";
import { newestRecord } from "../device/live/newest-record.js";
import { type LiveState, type TelemetryRecord, useLive } from "../device/live/use-live.js";
import { wasSeenRecently } from "../device/live/was-seen-recently.js";
import { Overview } from "../device/overview.js";
import { DeviceStatus } from "../fleet/device-status.js";
import { lazy } from "../lazy.js";
import { devicePath, Link, place } from "../router.js";
import * as deviceText from "../text/device.js";
import { formatAgo } from "../ui/format.js";
import { Badge, Card, EmptyState, ErrorNotice, Skeleton } from "../ui/parts.js";
import { useTitle } from "../ui/title.js";
import { useLoad, useRefreshed } from "../ui/use-load.js";
import { useNow } from "../ui/use-now.js";
import { NotFoundPage } from "./not-found-page.js";

const DeviceFirmware = lazy(
  async () => (await import("../device/firmware/device-firmware.js")).DeviceFirmware,
);
const DeviceAlerts = lazy(async () => (await import("../alerts/device-alerts.js")).DeviceAlerts);
const DeviceCommands = lazy(
  async () => (await import("../commands/device-commands.js")).DeviceCommands,
);
const DeviceSettings = lazy(
  async () => (await import("../device/settings/device-settings.js")).DeviceSettings,
);

const refreshMs = 30_000;
/** The most live readings that the chart keeps. The oldest are dropped. */
const maxReadings = 2_000;

const tabs = [
  ["", deviceText.overview],
  ["alerts", deviceText.alerts],
  ["commands", deviceText.commands],
  ["firmware", deviceText.firmware],
  ["settings", deviceText.settings],
] as const;

const liveLabels: Readonly<Record<LiveState, string>> = {
  connecting: deviceText.connecting,
  live: deviceText.live,
  lost: deviceText.reconnecting,
};

const liveTones = { connecting: "plain", live: "good", lost: "warn" } as const;

const LoadingDevice = () => (
  <div class="stack" aria-busy="true">
    <Skeleton height={56} width="320px" />
    <Skeleton height={44} />
    <Skeleton height={420} />
  </div>
);

const UnknownDevice = () => (
  <Card>
    <EmptyState
      whole
      title={deviceText.deviceNotFound}
      actions={
        <>
          <Link to="/" class="button">
            {deviceText.yourDevices}
          </Link>
          <Link to="/claim" class="button primary">
            {deviceText.claimAGateway}
          </Link>
        </>
      }
    >
      <p>{deviceText.deviceNotFoundHint}</p>
    </EmptyState>
  </Card>
);

interface DevicePageProps {
  readonly deviceId: string;
  readonly tab: string;
}

export function DevicePage({ deviceId, tab }: DevicePageProps) {
  const now = useNow(5_000);
  const loaded = useRefreshed(
    useLoad(deviceId, (signal) => call("readDevice", { params: { deviceId }, signal })),
    refreshMs,
  );
  const [readings, setReadings] = useState<readonly TelemetryRecord[]>([]);
  const onRecords = useCallback(
    (records: readonly TelemetryRecord[]) =>
      setReadings((before) => [...before, ...records].slice(-maxReadings)),
    [],
  );
  const live = useLive(deviceId, onRecords);
  const { value, failure, reload, refresh } = loaded;
  // The tabs keep what the charts show.
  const { query } = place.value;
  const viewQuery = query.size > 0 ? `?${query}` : "";
  useTitle(value?.device.name ?? deviceId);
  const hasReadings = readings.length > 0;
  useEffect(() => {
    // The first live record may be an old one, sent after an outage. The API knows when it arrived.
    if (hasReadings) reload();
  }, [hasReadings, reload]);

  if (failure?.code === "device_not_found") return <UnknownDevice />;
  if (value === undefined) {
    return failure ? <ErrorNotice failure={failure} retry={reload} /> : <LoadingDevice />;
  }
  if (!tabs.some(([name]) => name === tab)) return <NotFoundPage />;
  const { device, telemetry } = value;
  const record = newestRecord([telemetry, ...readings]) ?? telemetry;
  const measuredAt = hasReadings ? Date.parse(String(record["timestamp"])) : undefined;
  const seenAt = Math.max(
    measuredAt ?? 0,
    device.lastSeen === null ? 0 : Date.parse(device.lastSeen),
  );
  const seenText = seenAt > 0 ? deviceText.seen(formatAgo(seenAt, now)) : deviceText.neverSeen;
  const isRevoked = device.revokedAt !== undefined;
  const online = device.status === "online" || wasSeenRecently(device, seenAt, now);
  // Without an answer from the server, the last known status may be wrong.
  const known = failure === undefined || live.state === "live";
  // An open stream of a silent device is not shown as live.
  const liveText =
    live.state === "live" && (isRevoked || !online) ? undefined : liveLabels[live.state];
  const updatedAt = Math.max(loaded.at, live.heardAt);
  const isStale = failure !== undefined || live.state === "lost";
  const sideText = isStale ? deviceText.lastUpdate(formatAgo(updatedAt, now)) : seenText;
  return (
    <>
      <div class="head">
        <div class="head-text">
          <h1>{device.name}</h1>
          <p class="device-line">
            <DeviceStatus device={device} known={known} online={online} />
            {device.name !== device.id && <span class="muted">{device.id}</span>}
            <span class="muted">{deviceText.firmwareVersion(device.firmwareVersion)}</span>
            {device.updateAvailable && tab !== "firmware" && (
              <Link to={devicePath(deviceId, "firmware")}>{deviceText.updateAvailable}</Link>
            )}
            {!device.isOwner && <Badge>{deviceText.operatorView}</Badge>}
          </p>
        </div>
        <div class="head-side">
          <span role="status">
            {liveText && (
              <Badge key={live.state} tone={liveTones[live.state]}>
                {liveText}
              </Badge>
            )}
          </span>
          {/* The key makes a new element for each text. Right-aligned text that changes would count as a layout shift. */}
          <span class="small muted" key={`${liveText} ${sideText}`}>
            {sideText}
          </span>
        </div>
      </div>
      <nav class="tabs" aria-label={deviceText.device}>
        {tabs.map(([name, text]) => (
          <Link key={name} to={devicePath(deviceId, name) + viewQuery} current={name === tab}>
            {text}
          </Link>
        ))}
      </nav>
      {tab === "" && <Overview device={device} record={record} readings={readings} />}
      {tab === "alerts" && <DeviceAlerts device={device} />}
      {tab === "commands" && <DeviceCommands device={device} />}
      {tab === "firmware" && <DeviceFirmware device={device} reload={reload} refresh={refresh} />}
      {tab === "settings" && <DeviceSettings device={device} reload={reload} />}
    </>
  );
}
