import type { DeviceSummary, RefusalEntry } from "@device-gateway/core/contract";
import { useEffect } from "preact/hooks";
import { call } from "../api/call.js";
import { formatAgo, formatCount, formatTime } from "../ui/format.js";
import { Card, ErrorNotice } from "../ui/parts.js";
import { useLoad } from "../ui/use-load.js";
import { useNow } from "../ui/use-now.js";

const refreshMs = 10_000;
const dayMs = 86_400_000;

/** What a refusal is called. The message of the server says the rest. */
const titles: Readonly<Record<string, string>> = {
  not_an_object: "A record is not an object",
  invalid_timestamp: "The timestamp is invalid",
  timestamp_out_of_range: "The timestamp is out of range",
  invalid_seq: "seq is invalid",
  too_many_metrics: "A record has too many metrics",
  too_deep: "A record is nested too deeply",
  name_too_long: "A metric's name is too long",
  malformed_json: "The body is not valid JSON",
  invalid_request: "The request is invalid",
  payload_too_large: "The body is too large",
  unsupported_media_type: "The content type is wrong",
  idempotency_key_reused: "An Idempotency-Key was used twice",
};

/** Reads why the server refused what the device sent. */
export function useRefusals({ id, refusedAt }: DeviceSummary) {
  const loaded = useLoad(`${id} ${refusedAt ?? ""}`, (signal) =>
    call("readRefusals", { params: { deviceId: id }, signal }),
  );
  const { refresh } = loaded;
  useEffect(() => {
    const timer = setInterval(refresh, refreshMs);
    return () => clearInterval(timer);
  }, [refresh]);
  return { ...loaded, refusals: loaded.value?.refusals ?? [] };
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
        {count === 1 ? "Once" : `${formatCount(count)} times since ${formatTime(firstAt)}`} ·{" "}
        <code>{code}</code>
      </span>
    </li>
  );
}

/** Lists why the server refused records and requests of the device. Shows nothing if it refused none. */
export function RefusalCard({ refusals, failure, reload }: Refusals) {
  const now = useNow(5_000);
  if (failure !== undefined) return <ErrorNotice failure={failure} retry={reload} />;
  if (refusals.length === 0) return null;
  return (
    <Card
      title="Refused by the server"
      hint="The gateway sent this, and the server did not store it. Its firmware must change."
    >
      <ol class="timeline">
        {refusals.map((refusal) => (
          <Line key={refusal.code} refusal={refusal} now={now} />
        ))}
      </ol>
    </Card>
  );
}
