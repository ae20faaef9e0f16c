/** A request as it goes over the wire. */
export interface FuzzRequest {
  readonly method: string;
  /** Path and query as they are sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  /** What has to go wrong in the gateway while it answers. */
  readonly fault: Fault | null;
}

/** A flood, a bug, and a store that can't answer now. */
export type Fault = 429 | 500 | 503;

export interface FuzzReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body never ends: what came of it at first. */
  readonly isLive: boolean;
}
