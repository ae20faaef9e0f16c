import { setTimeout } from "node:timers/promises";

/** Waits, or rejects at once when the signal aborts. Tests put their own in its place. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

export const wait: Wait = (ms, signal) => setTimeout(ms, undefined, { signal });
