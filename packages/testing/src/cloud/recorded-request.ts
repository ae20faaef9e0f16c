import type { GatewayRequest } from "@device-gateway/core";
import type { RouteName } from "@device-gateway/core/contract";
import type { Fault } from "./fault.js";

/** A request that was sent to the test cloud, even if a fault stopped it. */
export interface RecordedRequest {
  /** Time by the cloud's clock, in epoch milliseconds. */
  readonly at: number;
  /** Null if the path is not a route of the API. */
  readonly route: RouteName | null;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Every header by its lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Returns a header by its lower-case name. */
  header(name: string): string | undefined;
  /** The parsed JSON body. Undefined if the gateway did not read it. */
  readonly body: unknown;
  /** The status of the response, even if it did not arrive. Null if the gateway never got the request. */
  readonly status: number | null;
  readonly fault: Fault | null;
}

/** A request with all of its headers. */
export interface CloudRequest extends GatewayRequest {
  readonly headers: Readonly<Record<string, string>>;
}

/** Records a request while the gateway handles it. */
export interface RequestRecorder {
  readonly request: GatewayRequest;
  record(seen: Pick<RecordedRequest, "route" | "status" | "fault">): RecordedRequest;
}

export function createRequestRecorder(request: CloudRequest, at: number): RequestRecorder {
  const { method, path, query, header, headers } = request;
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
    record: (seen) => ({ at, method, path, query, headers, header, body: read, ...seen }),
  };
}
