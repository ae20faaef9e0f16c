import type { DeviceSummary } from "@device-gateway/core/contract";
import { devicePath, Link } from "../router.js";
import { formatAgo, formatNumber, formatTime } from "../ui/format.js";
import { Badge, Skeleton } from "../ui/parts.js";
import { useNow } from "../ui/use-now.js";
import { DeviceStatus } from "./device-status.js";

/** The contract's fields. All other numbers of an entry are values of the option `summaryMetrics`. */
const knownFields = new Set([
  "id",
  "name",
  "status",
  "isOwner",
  "targetHardware",
  "otaChannel",
  "firmwareVersion",
  "latestFirmwareVersion",
  "latestFirmwareReleasedAt",
  "updateAvailable",
  "lastSeen",
  "claimedAt",
  "expectedIntervalSeconds",
  "secondsSinceLastTelemetry",
  "secondsUntilNextExpectedCheckIn",
]);

function LatestValues({ device }: { device: DeviceSummary }) {
  const values = Object.entries(device).filter(
    (entry): entry is [string, number] =>
      !knownFields.has(entry[0]) && typeof entry[1] === "number",
  );
  if (values.length === 0) return null;
  return (
    <span class="small muted">
      {values.map(([name, value]) => `${name} ${formatNumber(value)}`).join(" · ")}
    </span>
  );
}

const LastSeen = ({ at, now }: { at: string | null; now: number }) =>
  at === null ? (
    <span class="muted">never</span>
  ) : (
    <time dateTime={at} title={formatTime(at)}>
      {formatAgo(Date.parse(at), now)}
    </time>
  );

interface RowProps {
  readonly device: DeviceSummary;
  readonly now: number;
}

function Row({ device, now }: RowProps) {
  const { id, name, status, firmwareVersion, latestFirmwareVersion, updateAvailable } = device;
  return (
    <tr>
      <td class="name">
        <Link to={devicePath(id)}>{name}</Link>
        <div class="small muted">
          {name === id ? device.targetHardware : `${id} · ${device.targetHardware}`}
        </div>
        <LatestValues device={device} />
      </td>
      <td>
        <DeviceStatus device={device} online={status === "online"} />
      </td>
      <td>
        {firmwareVersion}{" "}
        {updateAvailable && (
          <Badge tone="accent">{latestFirmwareVersion ?? "update"} available</Badge>
        )}
      </td>
      <td class="muted">
        <LastSeen at={device.lastSeen} now={now} />
      </td>
    </tr>
  );
}

const waitingRows = Array.from({ length: 6 }, (_, i) => (
  <tr key={i}>
    <td>
      <Skeleton height={44} width="60%" />
    </td>
    <td>
      <Skeleton height={16} width="70px" />
    </td>
    <td>
      <Skeleton height={16} width="60px" />
    </td>
    <td>
      <Skeleton height={16} width="80px" />
    </td>
  </tr>
));

interface TableProps {
  readonly devices: readonly DeviceSummary[];
  readonly waiting: boolean;
}

export function DeviceTable({ devices, waiting }: TableProps) {
  const now = useNow(10_000);
  return (
    <table class="table links stacked fixed">
      <thead>
        <tr>
          <th scope="col" class="wide">
            Device
          </th>
          <th scope="col">Status</th>
          <th scope="col">Firmware</th>
          <th scope="col">Last seen</th>
        </tr>
      </thead>
      <tbody>
        {waiting
          ? waitingRows
          : devices.map((device) => <Row key={device.id} device={device} now={now} />)}
      </tbody>
    </table>
  );
}
