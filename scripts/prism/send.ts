import type { RouteName } from "@device-gateway/core/contract";

export interface Sent {
  readonly token?: string;
  readonly path?: Readonly<Record<string, string | number>>;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly image?: string;
}

/** A response. Bodies of every type are read as JSON or text. */
export interface Received {
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends a request. @throws {Error} if the response does not have the status. */
export type Send = (name: RouteName, status: number, sent?: Sent) => Promise<Received>;
