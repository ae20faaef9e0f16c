import { useEffect, useMemo, useState } from "preact/hooks";
import { ClaimForm } from "../connect/claim-form.js";
import { BulkBar } from "../fleet/bulk-bar.js";
import { DeviceTable, type Selection } from "../fleet/device-table.js";
import {
  countByFilter,
  type Filter,
  filterByModel,
  filterDevices,
  filters,
  type Order,
  searchDevices,
  sortDevices,
  toOrder,
} from "../fleet/filter-devices.js";
import {
  fleet,
  invalidateFleet,
  isFirstLoad,
  maxDevices,
  readFleet,
  refreshPeriodMs,
} from "../fleet/fleet.js";
import { FleetToolbar } from "../fleet/fleet-toolbar.js";
import { Glance, glanceFrom } from "../fleet/glance.js";
import { Link, place, setQuery } from "../router.js";
import { demo, isOperator } from "../session.js";
import * as connectText from "../text/connect.js";
import * as fleetText from "../text/fleet.js";
import { Card, EmptyState, Skeleton } from "../ui/parts.js";
import { repeatWhileVisible } from "../ui/repeat-while-visible.js";
import { StaleNotice } from "../ui/stale-notice.js";
import { useTitle } from "../ui/title.js";
import { sayRetried } from "../ui/use-load.js";
import { DemoLabelCard } from "./demo-label-card.js";

const refreshCheckMs = 10_000;

/** Refreshes the list while the page is visible. */
function useFleet() {
  useEffect(() => {
    void readFleet(5_000);
    return repeatWhileVisible(() => void readFleet(refreshPeriodMs()), refreshCheckMs);
  }, []);
  return { ...fleet.value, failure: sayRetried(fleet.value.failure) };
}

/** A new user claims the first gateway here, without another page. */
const NoDevices = () => (
  <Card title={fleetText.noGatewaysYet} hint={fleetText.noGatewaysHint}>
    <div class="stack claim-here">
      <ClaimForm />
      <p class="small muted">
        {connectText.noLabelYet(<Link to="/connect">{connectText.connectAGateway}</Link>)}
      </p>
    </div>
  </Card>
);

interface NothingFoundProps {
  readonly hidden: number;
  readonly searched: boolean;
  readonly onShowAll: () => void;
}

const NothingFound = ({ hidden, searched, onShowAll }: NothingFoundProps) => (
  <EmptyState
    title={fleetText.noMatchingDevices}
    actions={
      <button type="button" class="button" onClick={onShowAll}>
        {fleetText.showAllDevices}
      </button>
    }
  >
    <p>
      {hidden > 0
        ? fleetText.filterHides(hidden)
        : searched
          ? fleetText.tryPartOfName
          : fleetText.noDeviceInState}
    </p>
  </EmptyState>
);

/** Which devices are selected. A device that has left the list is not. */
function useSelection(shown: readonly { readonly id: string }[]) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const selection: Selection = {
    ids,
    toggle: (id) =>
      setIds((before) => {
        const next = new Set(before);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
    toggleAll: () => {
      const isAll = shown.every(({ id }) => ids.has(id));
      setIds(isAll ? new Set() : new Set(shown.map(({ id }) => id)));
    },
  };
  return { selection, clear: () => setIds(new Set()) };
}

/** Returns what the URL says about the list, and the devices that it shows. */
function useShownDevices() {
  const { devices } = fleet.value;
  const { query } = place.value;
  const search = query.get("q") ?? "";
  const asked = query.get("show") as Filter | null;
  const filter = asked !== null && filters.includes(asked) ? asked : "all";
  const [hardware, version] = [query.get("hardware") ?? "", query.get("version") ?? ""];
  const order = toOrder(query.get("order"));
  const sorted = useMemo(() => sortDevices(devices, order), [devices, order]);
  const found = useMemo(() => searchDevices(sorted, search), [sorted, search]);
  const ofModel = useMemo(
    () => filterByModel(found, { hardware, version }),
    [found, hardware, version],
  );
  const counts = useMemo(() => countByFilter(ofModel), [ofModel]);
  const shown = useMemo(() => filterDevices(ofModel, filter), [ofModel, filter]);
  return { search, filter, hardware, version, order, found, counts, shown };
}

export function DevicesPage() {
  useTitle(fleetText.title);
  const { devices, complete, failure, readAt } = useFleet();
  const { search, filter, hardware, version, order, found, counts, shown } = useShownDevices();
  const { selection, clear } = useSelection(shown);
  const selected = useMemo(
    () => devices.filter(({ id }) => selection.ids.has(id)),
    [devices, selection.ids],
  );
  const waiting = isFirstLoad.value;
  const none = complete && devices.length === 0;
  // A list that could not be read is not shown as empty.
  const unreadable = failure !== undefined && devices.length === 0;
  const isPartial = !complete && readAt === 0;
  const isFleet = devices.length >= glanceFrom;
  const showAll = () =>
    setQuery({ q: undefined, show: undefined, hardware: undefined, version: undefined });
  const setFilter = (chosen: Filter) => setQuery({ show: chosen === "all" ? undefined : chosen });
  const setOrder = (next: Order) => setQuery({ order: next === "name" ? undefined : next });
  const setHardware = (value: string) => setQuery({ hardware: value || undefined });
  const setVersion = (value: string) => setQuery({ version: value || undefined });
  return (
    <>
      <div class="head">
        <h1>{fleetText.title}</h1>
        {!none && (
          <div class="actions">
            <Link to="/connect" class="button">
              {fleetText.newGateway}
            </Link>
            <Link to="/claim" class="button primary">
              {fleetText.claimAGateway}
            </Link>
          </div>
        )}
      </div>
      <div class="stack">
        <StaleNotice failure={failure} at={readAt} reload={() => void readFleet()} />
        {unreadable ? null : waiting ? (
          // The content after this skeleton consists of new elements, so replacing it does not count as a layout shift.
          <section class="card card-body" aria-busy="true">
            <Skeleton height={400} />
          </section>
        ) : none ? (
          <>
            <NoDevices />
            {demo.value?.label && <DemoLabelCard label={demo.value.label} />}
          </>
        ) : isPartial ? (
          // Counts of a part of the list would be wrong.
          <section key="part" class="card" aria-label={fleetText.yourDevices} aria-busy="true">
            <DeviceTable devices={shown} order={order} onOrder={setOrder} selection={undefined} />
            <p class="pager muted small" role="status">
              {fleetText.loadingMore}
            </p>
          </section>
        ) : (
          <>
            {isFleet && (
              <Glance
                {...{ devices, filter, hardware, version }}
                onFilter={setFilter}
                onHardware={setHardware}
                onVersion={setVersion}
              />
            )}
            <section class="card" aria-label={fleetText.yourDevices}>
              <FleetToolbar
                {...{ devices, search, filter, hardware, version, order, counts }}
                onFilter={setFilter}
                onHardware={setHardware}
                onVersion={setVersion}
              />
              {shown.length === 0 ? (
                <NothingFound hidden={found.length} searched={search !== ""} onShowAll={showAll} />
              ) : (
                <DeviceTable
                  devices={shown}
                  order={order}
                  onOrder={setOrder}
                  selection={isOperator.value || isFleet ? selection : undefined}
                />
              )}
              <p class="pager muted small" role="status">
                {shown.length < devices.length
                  ? fleetText.shownOf(shown.length, devices.length)
                  : fleetText.countOf(devices.length)}
              </p>
            </section>
            <BulkBar devices={selected} onClear={clear} onChanged={() => void invalidateFleet()} />
          </>
        )}
        {devices.length >= maxDevices && (
          <p class="muted">{fleetText.onlyFirstShown(maxDevices)}</p>
        )}
      </div>
    </>
  );
}
