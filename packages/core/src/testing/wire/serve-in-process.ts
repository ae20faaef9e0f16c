import type { Gateway } from "../../gateway.js";
import { toFetchHandler } from "../../http/fetch-handler.js";
import type { WireServer } from "./wire-world.js";

/** Answers requests in process, through the fetch handler. */
export async function serveInProcess(gateway: Gateway): Promise<WireServer> {
  const handler = toFetchHandler(gateway);
  return {
    fetch: (path, init) => handler(new Request(`http://gateway.test${path}`, init), null),
    close: async () => {},
  };
}
