import type { WorldReply } from "./world.js";

/** An answer without what differs from one request to the next: its id and its date. */
export function comparable({ status, headers, body }: WorldReply): string {
  const { "x-request-id": _, date: __, ...rest } = headers;
  const sorted = Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([status, sorted, body.replace(/"requestId":"[^"]*"/, '"requestId":""')]);
}
