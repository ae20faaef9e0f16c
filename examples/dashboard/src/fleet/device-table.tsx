import type { DeviceSummary } from "@device-gateway/core/contract";
import { useMemo, useRef } from "preact/hooks";
import { devicePath, Link } from "../router.js";
import { useHardwareFormats } from "../series/hardware-formats.js";
import * as fleetText from "../text/fleet.js";
import { formatAgo, formatReading, formatTime } from "../ui/format.js";
import { Badge } from "../ui/parts.js";
import { useNow } from "../ui/use-now.js";
import { DeviceStatus } from "./device-status.js";
import { type Column, columnOf, type Order } from "./filter-devices.js";
import { useRowWindow } from "./use-window.js";

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

type Values = readonly (readonly [string, number])[];

const latestValues = (device: DeviceSummary): Values =>
  Object.entries(device).filter(
    (entry): entry is [string, number] =>
      !knownFields.has(entry[0]) && typeof entry[1] === "number",
  );

function LatestValues({ device, values }: { device: DeviceSummary; values: Values }) {
  const formatOf = useHardwareFormats([device]);
  const texts = values.map(([metric, value]) => {
    const format = formatOf(metric);
    return fleetText.latestValue(format.name, formatReading(value, format));
  });
  return <div class="small muted cut">{texts.join(" · ")}</div>;
}

const LastSeen = ({ at, now }: { at: string | null; now: number }) =>
  at === null ? (
    <span class="muted">{fleetText.never}</span>
  ) : (
    <time dateTime={at} title={formatTime(at)}>
      {formatAgo(Date.parse(at), now)}
    </time>
  );

/** What is wrong with a device, if it is known from the list. */
function Problems({ device }: { device: DeviceSummary }) {
  const { id, refusedAt, failedVersion, revokedAt } = device;
  if (revokedAt !== undefined) return null;
  return (
    <>
      {refusedAt !== undefined && <Badge tone="bad">{fleetText.badgeRefused}</Badge>}
      {failedVersion !== undefined && (
        <Link to={devicePath(id, "firmware")} class="badge bad above">
          {fleetText.badgeFailed(failedVersion)}
        </Link>
      )}
    </>
  );
}

/** The devices that the user selected, for operators. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly toggle: (id: string) => void;
  readonly toggleAll: () => void;
}

interface RowProps {
  readonly device: DeviceSummary;
  readonly now: number;
  /** Counted from 1, with the head. */
  readonly place: number;
  readonly selection: Selection | undefined;
}

function Row({ device, now, place, selection }: RowProps) {
  const { id, name, status, firmwareVersion, updateAvailable } = device;
  const values = latestValues(device);
  return (
    <tr data-row aria-rowindex={place}>
      {selection && (
        <td class="select">
          <input
            type="checkbox"
            aria-label={fleetText.selectDevice(name)}
            checked={selection.ids.has(id)}
            onChange={() => selection.toggle(id)}
          />
        </td>
      )}
      <td class="name">
        <Link to={devicePath(id)}>{name}</Link>
        <div class="small muted cut">
          {name === id ? device.targetHardware : `${id} · ${device.targetHardware}`}
        </div>
        {values.length > 0 && <LatestValues device={device} values={values} />}
      </td>
      <td>
        <div class="line">
          <DeviceStatus device={device} online={status === "online"} />
          <Problems device={device} />
        </div>
      </td>
      <td>
        <div class="line">
          {firmwareVersion}{" "}
          {updateAvailable && <Badge tone="accent">{fleetText.badgeUpdate}</Badge>}
        </div>
      </td>
      <td class="muted seen">
        <LastSeen at={device.lastSeen} now={now} />
      </td>
    </tr>
  );
}

/** Takes the place of rows that are not rendered. */
const Spacer = ({ height }: { height: number }) =>
  height === 0 ? null : (
    <tr class="spacer" style={{ height: `${height}px` }}>
      <td />
    </tr>
  );

interface HeadProps {
  readonly column: Column;
  readonly order: Order;
  readonly onOrder: (order: Order) => void;
  readonly class?: string;
  readonly children: string;
}

/** The head of a column. It sorts by the column, and a second time in reverse. */
function Head({ column, order, onOrder, class: name = "", children }: HeadProps) {
  const isSorted = columnOf(order) === column;
  const isReverse = isSorted && order.startsWith("-");
  const direction = isReverse ? ("descending" as const) : ("ascending" as const);
  return (
    <th scope="col" class={name} aria-sort={isSorted ? direction : "none"}>
      <button
        type="button"
        class="sort"
        onClick={() => onOrder(isSorted && !isReverse ? `-${column}` : column)}
      >
        {children}
        <span aria-hidden="true">{isSorted ? (isReverse ? " ↓" : " ↑") : ""}</span>
      </button>
    </th>
  );
}

interface TableProps {
  readonly devices: readonly DeviceSummary[];
  readonly order: Order;
  readonly onOrder: (order: Order) => void;
  readonly selection: Selection | undefined;
}

/** Lists devices. Only the rows near the viewport are rendered. */
export function DeviceTable({ devices, order, onOrder, selection }: TableProps) {
  const now = useNow(10_000);
  const body = useRef<HTMLTableSectionElement>(null);
  // A row without values is as high as one with values.
  const hasValues = useMemo(
    () => devices.some((device) => latestValues(device).length > 0),
    [devices],
  );
  const look = hasValues ? "with-values" : "";
  const { first, end, above, below } = useRowWindow(body, devices.length, look);
  const isAll = selection !== undefined && devices.every(({ id }) => selection.ids.has(id));
  const sorted = { order, onOrder };
  return (
    <table class={`table links stacked fixed devices ${look}`} aria-rowcount={devices.length + 1}>
      <thead>
        <tr aria-rowindex={1}>
          {selection && (
            <th scope="col" class="select">
              <input
                type="checkbox"
                aria-label={fleetText.selectAllShown}
                checked={devices.length > 0 && isAll}
                onChange={selection.toggleAll}
              />
            </th>
          )}
          <Head column="name" class="wide" {...sorted}>
            {fleetText.device}
          </Head>
          <Head column="state" {...sorted}>
            {fleetText.status}
          </Head>
          <Head column="firmware" {...sorted}>
            {fleetText.firmware}
          </Head>
          <Head column="seen" {...sorted}>
            {fleetText.lastSeen}
          </Head>
        </tr>
      </thead>
      <tbody ref={body}>
        <Spacer height={above} />
        {devices.slice(first, end).map((device, i) => (
          <Row
            key={device.id}
            device={device}
            now={now}
            place={first + i + 2}
            selection={selection}
          />
        ))}
        <Spacer height={below} />
      </tbody>
    </table>
  );
}
