import type { DeviceSummary, RefusalEntry } from "@device-gateway/core/contract";
import { useEffect } from "preact/hooks";
import { call } from "../api/call.js";
import * as deviceText from "../text/device.js";
import { formatAgo, formatTime } from "../ui/format.js";
import { Card, ErrorNotice, Skeleton } from "../ui/parts.js";
import { repeatWhileVisible } from "../ui/repeat-while-visible.js";
import { useLoad } from "../ui/use-load.js";
import { useNow } from "../ui/use-now.js";

const refreshMs = 10_000;
const dayMs = 86_400_000;

/** What a refusal is called. The message of the server says the rest. */
const titles: Readonly<Record<string, string>> = deviceText.refusalTitles;

/** Reads why the server refused what the device sent. */
export function useRefusals({ id, refusedAt }: DeviceSummary) {
  const loaded = useLoad(id, (signal) =>
    call("readRefusals", { params: { deviceId: id }, signal }),
  );
  const { value, failure, refresh } = loaded;
  useEffect(refresh, [refresh, refusedAt]);
  useEffect(() => repeatWhileVisible(refresh, refreshMs), [refresh]);
  const isFirstLoad = value === undefined && failure === undefined;
  const refusals = value?.refusals ?? [];
  const wasRefused = refusedAt !== undefined || refusals.length > 0;
  return { ...loaded, refusals, isFirstLoad, wasRefused };
}

export type Refusals = ReturnType<typeof useRefusals>;

function Line({ refusal, now }: { refusal: RefusalEntry; now: number }) {
  const { code, message, count, firstAt, lastAt } = refusal;
  const isOld = now - Date.parse(lastAt) > dayMs;
  return (
    <li class={isOld ? "" : "bad"}>
      <div class="between">
        <h3>{titles[code] ?? code}</h3>
        <time class="small muted" dateTime={lastAt} title={formatTime(lastAt)}>
          {formatAgo(Date.parse(lastAt), now)}
        </time>
      </div>
      <span class="small">{message}</span>
      <span class="small muted">
        {deviceText.refusedTimesSince(count, formatTime(firstAt))} · <code>{code}</code>
      </span>
    </li>
  );
}

/** Lists why the server refused records and requests of the device. Shows nothing if it refused none. */
export function RefusalCard({ refusals, failure, reload, isFirstLoad, wasRefused }: Refusals) {
  const now = useNow(5_000);
  if (isFirstLoad && wasRefused) return <Skeleton height={160} />;
  if (refusals.length === 0) return <ErrorNotice failure={failure} retry={reload} />;
  return (
    <Card title={deviceText.refused} hint={deviceText.refusedHint}>
      <ErrorNotice failure={failure} retry={reload} />
      <ol class="timeline">
        {refusals.map((refusal) => (
          <Line key={refusal.code} refusal={refusal} now={now} />
        ))}
      </ol>
    </Card>
  );
}
