/** A request as sent over the wire. */
export interface FuzzRequest {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  /** The fault to plant while the gateway answers. */
  readonly fault: Fault | null;
}

/** The status that the fault causes: too many requests, a bug, or an unavailable store. */
export type Fault = 429 | 500 | 503;

export interface FuzzReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether this is a live stream, of which `body` holds only the beginning. */
  readonly isLive: boolean;
}
