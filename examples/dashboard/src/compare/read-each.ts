import type { Reply } from "../api/call.js";
import * as compareText from "../text/compare.js";

/** The results that could be read for several devices, by device id, and the first failure. */
export interface ReadOfEach<Value> {
  readonly found: ReadonlyMap<string, Value>;
  readonly failure: { readonly message: string } | undefined;
}

/** Reads something of each device. A device that cannot be read does not hide the others. */
export async function readEach<Value>(
  ids: readonly string[],
  read: (deviceId: string) => Promise<Reply<Value>>,
): Promise<Reply<ReadOfEach<Value>>> {
  const replies = await Promise.all(ids.map(async (id) => ({ id, reply: await read(id) })));
  const found = new Map<string, Value>();
  let failure: ReadOfEach<Value>["failure"];
  for (const { id, reply } of replies) {
    if (reply.ok) found.set(id, reply.value);
    else failure ??= { message: compareText.failureOf(id, reply.failure.message) };
  }
  return { ok: true, value: { found, failure }, etag: undefined };
}
