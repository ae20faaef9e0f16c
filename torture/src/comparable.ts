import type { WorldReply } from "./world.js";

/** Serializes a response without the parts that differ between requests: the request id and the date. */
export function comparable({ status, headers, body }: WorldReply): string {
  const { "x-request-id": _, date: __, ...rest } = headers;
  const sorted = Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([status, sorted, body.replace(/"requestId":"[^"]*"/, '"requestId":""')]);
}
