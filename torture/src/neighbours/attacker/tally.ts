/** What an attacker has sent and received so far. */
export interface Tally {
  /** Number of requests sent. */
  readonly requests: number;
  /** Bytes passed to the system, including headers. */
  readonly bytes: number;
  /** Responses by status, if the attacker reads them. */
  readonly statuses: Readonly<Record<string, number>>;
}

export class Counter {
  requests = 0;
  bytes = 0;
  readonly statuses: Record<string, number> = {};

  note(status: number | string): void {
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
  }

  read(): Tally {
    return { requests: this.requests, bytes: this.bytes, statuses: this.statuses };
  }
}
