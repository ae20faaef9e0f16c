import type { DeviceSummary } from "@device-gateway/core/contract";
import { useMemo } from "preact/hooks";
import { setQuery } from "../router.js";
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
  ["all", "All"],
  ["online", "Online"],
  ["offline", "Offline"],
];
/** Shown only if there are such devices. */
const sometimes: readonly (readonly [Filter, string])[] = [
  ["refused", "Records refused"],
  ["failed", "Update failed"],
  ["revoked", "Revoked"],
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
    ["update", "Update available"] as const,
  ];
  return (
    <div class="toolbar">
      <input
        type="search"
        class="input search"
        aria-label="Search by name, ID, hardware or firmware"
        placeholder="Name, ID, hardware, firmware"
        value={search}
        onInput={(event) => setQuery({ q: event.currentTarget.value || undefined })}
      />
      <Segments
        label="Show"
        options={shown.map(([name, words]) => [name, `${words} ${formatCount(counts[name])}`])}
        chosen={filter}
        onChoose={onFilter}
      />
      <ModelChoice
        label="Hardware"
        all="All hardware"
        value={hardware}
        options={byHardware}
        onChoose={onHardware}
      />
      <ModelChoice
        label="Firmware version"
        all="All versions"
        value={version}
        options={byVersion}
        onChoose={onVersion}
      />
      <select
        class="input"
        aria-label="Sort order"
        value={order}
        onChange={(event) => {
          const chosen = event.currentTarget.value;
          setQuery({ order: chosen === "name" ? undefined : chosen });
        }}
      >
        <option value="name">Sort by name</option>
        <option value="-name">Sort by name, reverse</option>
        <option value="state">Sort by urgency</option>
        <option value="-state">Sort by urgency, reverse</option>
        <option value="firmware">Sort by firmware</option>
        <option value="-firmware">Sort by firmware, reverse</option>
        <option value="seen">Sort by last seen</option>
        <option value="-seen">Sort by longest silent</option>
      </select>
    </div>
  );
}
