import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { CallFailure, Reply } from "../api/call.js";
import { serverNow } from "../api/server-clock.js";
import * as shellText from "../text/shell.js";
import { repeatWhileVisible } from "./repeat-while-visible.js";

export interface Loaded<Value> {
  /** The latest response. It stays until the next one arrives. */
  readonly value: Value | undefined;
  readonly etag: string | undefined;
  readonly failure: CallFailure | undefined;
  readonly loading: boolean;
  /** When the latest response arrived, in epoch milliseconds of the server's clock. 0 if none did. */
  readonly at: number;
  reload(): void;
  /**
   * Reloads if the page is visible and no request is under way. For timers: a timer must not restart a slow request's
   * time-out.
   */
  refresh(): void;
}

/** Loads at once, when `key` changes, and on demand. A response for an earlier key is dropped. */
export function useLoad<Value>(
  key: string,
  load: (signal: AbortSignal) => Promise<Reply<Value>>,
): Loaded<Value> {
  const [round, setRound] = useState(0);
  const [state, setState] = useState<
    Omit<Loaded<Value>, "reload" | "refresh"> & { readonly key: string }
  >({
    key,
    value: undefined,
    etag: undefined,
    failure: undefined,
    loading: true,
    at: 0,
  });
  const waiting = useRef(true);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const stopping = new AbortController();
    waiting.current = true;
    setState((before) => ({
      ...before,
      key,
      ...(before.key !== key && { value: undefined, etag: undefined }),
      loading: true,
    }));
    void latest.current(stopping.signal).then((reply) => {
      if (stopping.signal.aborted) return;
      waiting.current = false;
      if (reply.ok) {
        const { value, etag } = reply;
        setState({ key, value, etag, failure: undefined, loading: false, at: serverNow() });
      } else setState((before) => ({ ...before, failure: reply.failure, loading: false }));
    });
    return () => stopping.abort();
  }, [key, round]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  const refresh = useCallback(() => {
    if (document.visibilityState === "visible" && !waiting.current) reload();
  }, [reload]);
  return { ...state, reload, refresh };
}

/** Adds to the failure of a value that is refreshed that the user need not try again. */
export const sayRetried = (failure: CallFailure | undefined): CallFailure | undefined =>
  failure?.code === "offline" ? { ...failure, message: shellText.offlineRetried } : failure;

/**
 * Refreshes a load every `everyMs` milliseconds, and when the page becomes visible. If that fails, the last value
 * stays: a page that shows it as current must say that it may be old.
 */
export function useRefreshed<Value>(loaded: Loaded<Value>, everyMs: number): Loaded<Value> {
  const { refresh } = loaded;
  useEffect(() => repeatWhileVisible(refresh, everyMs), [refresh, everyMs]);
  return { ...loaded, failure: sayRetried(loaded.failure) };
}

/** A request that may have failed, and how to repeat it. */
export type Repeatable = Pick<Loaded<unknown>, "failure" | "reload">;

/** Returns the first failure of several requests, and a function that repeats those that failed. */
export function joinFailures(...requests: readonly Repeatable[]) {
  const failed = requests.filter(({ failure }) => failure);
  const retry = () => {
    for (const { reload } of failed) reload();
  };
  return { failure: failed[0]?.failure, retry };
}
