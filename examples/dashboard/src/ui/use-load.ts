import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { CallFailure, Reply } from "../api/call.js";

export interface Loaded<Value> {
  /** The latest response. It stays until the next one arrives. */
  readonly value: Value | undefined;
  readonly etag: string | undefined;
  readonly failure: CallFailure | undefined;
  readonly loading: boolean;
  reload(): void;
}

/** Loads at once, when `key` changes, and on demand. A response for an earlier key is dropped. */
export function useLoad<Value>(
  key: string,
  load: (signal: AbortSignal) => Promise<Reply<Value>>,
): Loaded<Value> {
  const [round, setRound] = useState(0);
  const [state, setState] = useState<Omit<Loaded<Value>, "reload"> & { readonly key: string }>({
    key,
    value: undefined,
    etag: undefined,
    failure: undefined,
    loading: true,
  });
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const stopping = new AbortController();
    setState((before) => ({
      ...before,
      key,
      ...(before.key !== key && { value: undefined, etag: undefined }),
      loading: true,
    }));
    void latest.current(stopping.signal).then((reply) => {
      if (stopping.signal.aborted) return;
      if (reply.ok) {
        const { value, etag } = reply;
        setState({ key, value, etag, failure: undefined, loading: false });
      } else setState((before) => ({ ...before, failure: reply.failure, loading: false }));
    });
    return () => stopping.abort();
  }, [key, round]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  return { ...state, reload };
}
