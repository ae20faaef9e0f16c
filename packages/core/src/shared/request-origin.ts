/** Where a request came from, for the audit trail. */
export interface RequestOrigin {
  readonly requestId: string | null;
  readonly clientAddress: string | null;
}
