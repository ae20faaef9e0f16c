/** What an attacker has done so far. */
export interface Tally {
  /** Requests begun. */
  readonly requests: number;
  /** Bytes handed to the system, headers included. */
  readonly bytes: number;
  /** Answers by status, of an attacker that reads them. */
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
