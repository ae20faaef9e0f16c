/** The devices and times that the requests refer to. */
export interface Scene {
  readonly now: number;
  readonly days: number;
  /** A device with one record per minute. */
  readonly longDevice: string;
  /** Returns another device of the same owner at each call. */
  nextDevice(): string;
  /** 500 devices of the same owner. Earlier requests may have revoked or erased some of them. */
  readonly manyDevices: readonly string[];
  /** Returns an id that no device has. */
  newId(): string;
}

export interface LargeRequest {
  /** What is large, if the route has several large requests. */
  readonly name?: string;
  readonly as: "device" | "owner" | "operator" | "nobody";
  readonly device?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: object | Uint8Array;
  /** How many are sent at once. Default: 1. */
  readonly atOnce?: number;
  /** The expected status. Default: 200. Some of the largest requests get an error, because their content is not useful. */
  readonly status?: number;
}

export type Requests = readonly ((scene: Scene) => LargeRequest)[];
