import type { GatewayRequest } from "@device-gateway/core";
import type { RouteName } from "@device-gateway/core/contract";
import type { Fault } from "./fault.js";

/** A request that reached the cloud, or was on its way there when a fault struck. */
export interface SeenRequest {
  /** Of the cloud's clock, in epoch milliseconds. */
  readonly at: number;
  /** Null: none of the API's. */
  readonly route: RouteName | null;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** A header by its lower-case name. */
  header(name: string): string | undefined;
  /** As far as it was read: JSON, parsed. */
  readonly body: unknown;
  /** What the gateway answered, whether or not that arrived; null: it never got the request. */
  readonly status: number | null;
  readonly fault: Fault | null;
}

/** Notes a request while it is handled. */
export interface Witness {
  readonly request: GatewayRequest;
  note(seen: Pick<SeenRequest, "route" | "status" | "fault">): SeenRequest;
}

export function watchRequest(request: GatewayRequest, at: number): Witness {
  const { method, path, query, header } = request;
  let read: unknown;
  const watched: GatewayRequest = {
    ...request,
    async json(limit) {
      const body = await request.json(limit);
      if (body.kind === "value") read = body.value;
      return body;
    },
  };
  return {
    request: watched,
    note: (seen) => ({ at, method, path, query, header, body: read, ...seen }),
  };
}
