import { useEffect, useMemo, useState } from "preact/hooks";
import { DeviceTable } from "../fleet/device-table.js";
import {
  countByFilter,
  type Filter,
  filterDevices,
  type Order,
  searchDevices,
  sortDevices,
} from "../fleet/filter-devices.js";
import { fleet, isFirstLoad, maxDevices, readFleet, refreshPeriodMs } from "../fleet/fleet.js";
import { Link, place, setQuery } from "../router.js";
import { demo } from "../session.js";
import { formatCount, formatTime } from "../ui/format.js";
import { Card, EmptyState, ErrorNotice, Segments } from "../ui/parts.js";
import { useTitle } from "../ui/title.js";
import { DemoLabelCard } from "./demo-label-card.js";
import { Pager } from "./pager.js";

const rowsPerPage = 50;
const refreshCheckMs = 10_000;

/** Refreshes the list while the page is visible. */
function useFleet() {
  useEffect(() => {
    void readFleet(5_000);
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void readFleet(refreshPeriodMs());
    }, refreshCheckMs);
    return () => clearInterval(timer);
  }, []);
  return fleet.value;
}

const NoDevices = () => (
  <EmptyState
    title="No gateways yet"
    actions={
      <Link to="/claim" class="button primary">
        Claim your first gateway
      </Link>
    }
  >
    <p>
      Power the gateway and set up its Wi-Fi. Once it has registered, claim it with the code on its
      label. Its readings then appear here.
    </p>
  </EmptyState>
);

export function DevicesPage() {
  useTitle("Devices");
  const { devices, complete, failure, readAt } = useFleet();
  const { query } = place.value;
  const [search, setSearch] = useState(query.get("q") ?? "");
  const filter = (query.get("show") ?? "all") as Filter;
  const order = (query.get("order") ?? "name") as Order;
  const sorted = useMemo(() => sortDevices(devices, order), [devices, order]);
  const found = useMemo(() => searchDevices(sorted, search), [sorted, search]);
  const counts = useMemo(() => countByFilter(found), [found]);
  const shown = useMemo(() => filterDevices(found, filter), [found, filter]);
  const lastPage = Math.max(0, Math.ceil(shown.length / rowsPerPage) - 1);
  const page = Math.min(lastPage, Math.max(0, Number(query.get("page") ?? 1) - 1));
  const rows = shown.slice(page * rowsPerPage, (page + 1) * rowsPerPage);

  const onSearch = (event: InputEvent) => {
    const text = (event.currentTarget as HTMLInputElement).value;
    setSearch(text);
    setQuery({ q: text || undefined, page: undefined });
  };
  const waiting = isFirstLoad.value;
  const none = complete && devices.length === 0;
  // A list that could not be read is not shown as empty.
  const unreadable = failure !== undefined && devices.length === 0;
  const nothingFound = !waiting && !none && rows.length === 0;
  return (
    <>
      <div class="head">
        <h1>Devices</h1>
        <Link to="/claim" class={`button ${none ? "" : "primary"}`}>
          Claim a gateway
        </Link>
      </div>
      <div class="stack">
        <ErrorNotice failure={failure} retry={() => void readFleet()} />
        {failure && readAt > 0 && (
          <p class="muted">The list is from {formatTime(readAt)}. It may have changed since.</p>
        )}
        {unreadable ? null : none ? (
          <>
            <Card>
              <NoDevices />
            </Card>
            {demo.value?.label && <DemoLabelCard label={demo.value.label} />}
          </>
        ) : (
          <section class="card" aria-label="Your devices">
            <div class="toolbar">
              <input
                type="search"
                class="input search"
                aria-label="Search by name, ID, hardware or firmware"
                placeholder="Name, ID, hardware, firmware"
                value={search}
                onInput={onSearch}
              />
              <Segments
                label="Show"
                options={[
                  ["all", `All ${formatCount(counts.all)}`],
                  ["online", `Online ${formatCount(counts.online)}`],
                  ["offline", `Offline ${formatCount(counts.offline)}`],
                  ...(counts.revoked > 0 || filter === "revoked"
                    ? ([["revoked", `Revoked ${formatCount(counts.revoked)}`]] as const)
                    : []),
                  ["update", `Update available ${formatCount(counts.update)}`],
                ]}
                chosen={filter}
                onChoose={(chosen) =>
                  setQuery({ show: chosen === "all" ? undefined : chosen, page: undefined })
                }
              />
              <select
                class="input"
                aria-label="Sort order"
                value={order}
                onChange={(event) => {
                  const chosen = event.currentTarget.value;
                  setQuery({ order: chosen === "name" ? undefined : chosen, page: undefined });
                }}
              >
                <option value="name">Sort by name</option>
                <option value="seen">Sort by last seen</option>
              </select>
            </div>
            {nothingFound ? (
              <EmptyState
                title="No matching devices"
                actions={
                  <button
                    type="button"
                    class="button"
                    onClick={() => {
                      setSearch("");
                      setQuery({ q: undefined, show: undefined, page: undefined });
                    }}
                  >
                    Show all devices
                  </button>
                }
              >
                <p>
                  {found.length > 0
                    ? `The filter hides ${found.length === 1 ? "1 device" : `${formatCount(found.length)} devices`}.`
                    : search === ""
                      ? "No device is in this state."
                      : "Try part of the device's name or ID."}
                </p>
              </EmptyState>
            ) : (
              <DeviceTable devices={rows} waiting={waiting} />
            )}
            {!waiting && (
              <Pager
                from={shown.length === 0 ? 0 : page * rowsPerPage + 1}
                to={page * rowsPerPage + rows.length}
                of={shown.length}
                note={complete ? "" : "Loading more…"}
                onPage={(step) => setQuery({ page: String(page + 1 + step) })}
                first={page === 0}
                last={page === lastPage}
              />
            )}
          </section>
        )}
        {devices.length >= maxDevices && (
          <p class="muted">
            Only the first {formatCount(maxDevices)} devices are shown. To open another one, add its
            ID to the address: /devices/its-id.
          </p>
        )}
      </div>
    </>
  );
}
