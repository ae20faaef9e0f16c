import type { ErrorCode } from "../contract/index.js";

/** What is known of a request before it is answered. */
export interface TracedRequest {
  readonly requestId: string;
  readonly method: string;
  /** The route's template, such as `/dashboard/devices/:deviceId`; null: no route fits. */
  readonly path: string | null;
  /** A header by its lower-case name: where the caller's trace stands. */
  header(name: string): string | undefined;
}

/** How it was answered. */
export interface TracedAnswer {
  readonly response: { readonly status: number };
  readonly code: ErrorCode | null;
}

/** Runs work inside of spans, so that what it calls hangs below them. */
export interface Tracer {
  /** Begins a span, and ends it when the answer, or its first byte, is there. */
  traceRequest<Answer extends TracedAnswer>(
    request: TracedRequest,
    work: () => Promise<Answer>,
  ): Promise<Answer>;
  /** The same for a call such as `store.telemetry.append`; one that rejects has failed. */
  traceCall<Outcome>(name: string, work: () => Promise<Outcome>): Promise<Outcome>;
}
