import { setTimeout } from "node:timers/promises";

/** Resolves after `ms`. Rejects at once when the signal aborts. Tests replace it. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

export const wait: Wait = (ms, signal) => setTimeout(ms, undefined, { signal });
