import { useCallback, useEffect, useState } from "preact/hooks";
import { call } from "../api/call.js";
import { DeviceFirmware } from "../device/device-firmware.js";
import { DeviceSettings } from "../device/device-settings.js";
import { Overview } from "../device/overview.js";
import { type LiveState, type TelemetryRecord, useLive } from "../device/use-live.js";
import { wasSeenRecently } from "../device/was-seen-recently.js";
import { devicePath, Link } from "../router.js";
import { formatAgo } from "../ui/format.js";
import { Badge, Card, EmptyState, ErrorNotice, Skeleton, Status } from "../ui/parts.js";
import { useTitle } from "../ui/title.js";
import { useLoad } from "../ui/use-load.js";
import { useNow } from "../ui/use-now.js";
import { NotFoundPage } from "./not-found-page.js";

const refreshMs = 30_000;
/** The most live readings that the chart keeps. The oldest are dropped. */
const maxReadings = 2_000;

const tabs = [
  ["", "Overview"],
  ["firmware", "Firmware"],
  ["settings", "Settings"],
] as const;

const liveLabels: Readonly<Record<LiveState, string>> = {
  connecting: "Connecting",
  live: "Live",
  lost: "Reconnecting",
};

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
      title="Device not found"
      actions={
        <>
          <Link to="/" class="button">
            Your devices
          </Link>
          <Link to="/claim" class="button primary">
            Claim a gateway
          </Link>
        </>
      }
    >
      <p>Check the ID in the address. If the gateway is yours, claim it with its code.</p>
    </EmptyState>
  </Card>
);

interface DevicePageProps {
  readonly deviceId: string;
  readonly tab: string;
}

export function DevicePage({ deviceId, tab }: DevicePageProps) {
  const now = useNow(5_000);
  const loaded = useLoad(deviceId, (signal) =>
    call("readDevice", { params: { deviceId }, signal }),
  );
  const [readings, setReadings] = useState<readonly TelemetryRecord[]>([]);
  const onRecords = useCallback(
    (records: readonly TelemetryRecord[]) =>
      setReadings((before) => [...before, ...records].slice(-maxReadings)),
    [],
  );
  const live = useLive(deviceId, onRecords);
  const { value, failure, reload } = loaded;
  useTitle(value?.device.name ?? deviceId);
  const hasReadings = readings.length > 0;
  useEffect(() => {
    // The first live record may be an old one, sent after an outage. The API knows when it arrived.
    if (hasReadings) reload();
  }, [hasReadings, reload]);
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") reload();
    }, refreshMs);
    return () => clearInterval(timer);
  }, [reload]);

  if (failure?.code === "device_not_found") return <UnknownDevice />;
  if (value === undefined) {
    return failure ? <ErrorNotice failure={failure} retry={reload} /> : <LoadingDevice />;
  }
  if (!tabs.some(([name]) => name === tab)) return <NotFoundPage />;
  const { device, telemetry } = value;
  const record = readings.at(-1) ?? telemetry;
  const measuredAt = hasReadings ? Date.parse(String(record["timestamp"])) : undefined;
  const seenAt = Math.max(
    measuredAt ?? 0,
    device.lastSeen === null ? 0 : Date.parse(device.lastSeen),
  );
  const seenText = seenAt > 0 ? `seen ${formatAgo(seenAt, now)}` : "never seen";
  // The API's status counts while the API is reachable.
  const online =
    (device.status === "online" && failure === undefined) || wasSeenRecently(device, seenAt, now);
  // An open stream of a silent device is not shown as live.
  const liveText = live === "live" && !online ? undefined : liveLabels[live];
  return (
    <>
      <div class="head">
        <div class="head-text">
          <h1>{device.name}</h1>
          <p class="device-line">
            <Status tone={online ? "good" : "plain"}>{online ? "Online" : "Offline"}</Status>
            {device.name !== device.id && <span class="muted">{device.id}</span>}
            <span class="muted">firmware {device.firmwareVersion}</span>
            {device.updateAvailable && tab !== "firmware" && (
              <Link to={devicePath(deviceId, "firmware")}>
                {device.latestFirmwareVersion} available
              </Link>
            )}
            {!device.isOwner && <Badge>operator view</Badge>}
          </p>
        </div>
        <div class="head-side">
          <span role="status">
            {liveText && (
              <Badge key={live} tone={live === "live" ? "good" : "plain"}>
                {liveText}
              </Badge>
            )}
          </span>
          {/* The key makes a new element for each text. Right-aligned text that changes would count as a layout shift. */}
          <span class="small muted" key={`${liveText} ${seenText}`}>
            {seenText}
          </span>
        </div>
      </div>
      <nav class="tabs" aria-label="Device">
        {tabs.map(([name, text]) => (
          <Link key={name} to={devicePath(deviceId, name)} current={name === tab}>
            {text}
          </Link>
        ))}
      </nav>
      {tab === "" && <Overview device={device} record={record} readings={readings} />}
      {tab === "firmware" && <DeviceFirmware device={device} reload={reload} />}
      {tab === "settings" && <DeviceSettings device={device} reload={reload} />}
    </>
  );
}
