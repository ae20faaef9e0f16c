import type { DeviceSummary } from "@device-gateway/core/contract";
import { useMemo } from "preact/hooks";
import { setQuery } from "../router.js";
import * as fleetText from "../text/fleet.js";
import { formatCount } from "../ui/format.js";
import { Segments } from "../ui/parts.js";
import { countBy, type Filter, type FleetView, type Order } from "./filter-devices.js";

interface ToolbarProps extends FleetView {
  readonly devices: readonly DeviceSummary[];
  readonly order: Order;
  readonly counts: Readonly<Record<Filter, number>>;
  readonly onFilter: (filter: Filter) => void;
  readonly onHardware: (hardware: string) => void;
  readonly onVersion: (version: string) => void;
}

interface ModelChoiceProps {
  readonly label: string;
  readonly all: string;
  readonly value: string;
  readonly options: readonly (readonly [string, number])[];
  readonly onChoose: (value: string) => void;
}

/** Chooses one hardware or version. Shown if there is a choice. */
function ModelChoice({ label, all, value, options, onChoose }: ModelChoiceProps) {
  if (options.length < 2 && value === "") return null;
  const isListed = value === "" || options.some(([name]) => name === value);
  return (
    <select
      class="input"
      aria-label={label}
      value={value}
      onChange={(event) => onChoose(event.currentTarget.value)}
    >
      <option value="">{all}</option>
      {!isListed && <option value={value}>{value}</option>}
      {options.map(([name, count]) => (
        <option key={name} value={name}>
          {name} ({formatCount(count)})
        </option>
      ))}
    </select>
  );
}

const always: readonly (readonly [Filter, string])[] = [
  ["all", fleetText.all],
  ["online", fleetText.online],
  ["offline", fleetText.offline],
];
/** Shown only if there are such devices. */
const sometimes: readonly (readonly [Filter, string])[] = [
  ["refused", fleetText.recordsRefused],
  ["failed", fleetText.updateFailed],
  ["revoked", fleetText.revoked],
];

/** Searches, filters and sorts the list of devices. */
export function FleetToolbar(props: ToolbarProps) {
  const { devices, search, filter, hardware, version, order, counts } = props;
  const { onFilter, onHardware, onVersion } = props;
  const byHardware = useMemo(() => countBy(devices, "targetHardware"), [devices]);
  const byVersion = useMemo(() => countBy(devices, "firmwareVersion"), [devices]);
  const shown = [
    ...always,
    ...sometimes.filter(([name]) => counts[name] > 0 || filter === name),
    ["update", fleetText.updateAvailable] as const,
  ];
  return (
    <div class="toolbar">
      <input
        type="search"
        class="input search"
        aria-label={fleetText.searchLabel}
        placeholder={fleetText.searchPlaceholder}
        value={search}
        onInput={(event) => setQuery({ q: event.currentTarget.value || undefined })}
      />
      <Segments
        label={fleetText.show}
        options={shown.map(([name, words]) => [name, `${words} ${formatCount(counts[name])}`])}
        chosen={filter}
        onChoose={onFilter}
      />
      <ModelChoice
        label={fleetText.hardware}
        all={fleetText.allHardware}
        value={hardware}
        options={byHardware}
        onChoose={onHardware}
      />
      <ModelChoice
        label={fleetText.firmwareVersion}
        all={fleetText.allVersions}
        value={version}
        options={byVersion}
        onChoose={onVersion}
      />
      <select
        class="input"
        aria-label={fleetText.sortOrder}
        value={order}
        onChange={(event) => {
          const chosen = event.currentTarget.value;
          setQuery({ order: chosen === "name" ? undefined : chosen });
        }}
      >
        <option value="name">{fleetText.sortByName}</option>
        <option value="-name">{fleetText.sortByNameDown}</option>
        <option value="state">{fleetText.sortByUrgency}</option>
        <option value="-state">{fleetText.sortByUrgencyDown}</option>
        <option value="firmware">{fleetText.sortByFirmware}</option>
        <option value="-firmware">{fleetText.sortByFirmwareDown}</option>
        <option value="seen">{fleetText.sortByLastSeen}</option>
        <option value="-seen">{fleetText.sortByLongestSilent}</option>
      </select>
    </div>
  );
}
