import type { DeviceSummary } from "@device-gateway/core/contract";
import { useEffect, useState } from "preact/hooks";
import { call } from "../api/call.js";
import * as commandsText from "../text/commands.js";
import { Card, EmptyState, ErrorNotice, Skeleton } from "../ui/parts.js";
import { useLoad } from "../ui/use-load.js";
import { isOpen } from "./is-open.js";
import { SendCommand } from "./send-command.js";
import { SentCommands } from "./sent-commands.js";

/** A user who waits for an answer sees it soon. Nothing changes by itself once all commands have ended. */
const openRefreshMs = 2_000;
const pageSize = 20;
/** The device keeps at most 120 commands. The API returns at most 100 at once. */
const maxShown = 100;

/** Sends commands to a device, and shows what became of them. */
export function DeviceCommands({ device }: { readonly device: DeviceSummary }) {
  const [limit, setLimit] = useState(pageSize);
  const { value, failure, reload, refresh } = useLoad(`commands/${device.id}/${limit}`, (signal) =>
    call("listCommands", { params: { deviceId: device.id }, query: { limit }, signal }),
  );
  const someOpen = value?.commands.some(isOpen);
  useEffect(() => {
    if (!someOpen) return;
    const timer = setInterval(refresh, openRefreshMs);
    return () => clearInterval(timer);
  }, [someOpen, refresh]);
  return (
    <div class="stack">
      <SendCommand device={device} commands={value?.commands ?? []} onSent={reload} />
      <Card title={commandsText.history} hint={commandsText.historyHint} flush>
        <ErrorNotice failure={failure} retry={reload} />
        {value === undefined && failure === undefined && <Skeleton height={120} />}
        {value?.commands.length === 0 && (
          <EmptyState title={commandsText.noneSent}>
            <p>{commandsText.noneSentHint}</p>
          </EmptyState>
        )}
        {value && value.commands.length > 0 && (
          <SentCommands device={device} commands={value.commands} reload={reload} />
        )}
        {value?.nextCursor && limit < maxShown && (
          <div class="card-body">
            <button type="button" class="button small" onClick={() => setLimit(maxShown)}>
              {commandsText.showMore}
            </button>
          </div>
        )}
      </Card>
    </div>
  );
}
