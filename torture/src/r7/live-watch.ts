import { setTimeout as wait } from "node:timers/promises";
import { createUserClient, followTelemetry } from "@device-gateway/device-client";

/** A dashboard that follows a device through restarts. */
export interface LiveWatch {
  /** Readings that have come, in order. */
  readonly seen: readonly string[];
  /** How its streams ended. */
  readonly ends: { clean: number; broken: number };
  stop(): void;
}

/** Resolves when the first stream is open. */
export async function startLiveWatch(
  baseUrl: string,
  token: string,
  deviceId: string,
): Promise<LiveWatch> {
  const ends = { clean: 0, broken: 0 };
  const seen: string[] = [];
  const stopping = new AbortController();
  let noteOpen = () => {};
  const opened = new Promise<void>((resolve) => {
    noteOpen = resolve;
  });

  const noteEnd = (reader: ReadableStreamDefaultReader<Uint8Array>): UnderlyingDefaultSource => ({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        ends.clean += 1;
        controller.close();
      } catch (error) {
        if (!stopping.signal.aborted) ends.broken += 1;
        controller.error(error);
      }
    },
  });
  const watchedFetch = async (url: string, init: RequestInit) => {
    const response = await fetch(url, { ...init, signal: stopping.signal });
    if (!response.ok || response.body === null) return response;
    noteOpen();
    return new Response(new ReadableStream(noteEnd(response.body.getReader())), response);
  };

  // Following has no end of its own: a wait is where it can be left.
  const sleep = (ms: number) => wait(Math.min(ms, 50), undefined, { signal: stopping.signal });
  const client = createUserClient({ baseUrl, token, fetch: watchedFetch });
  async function follow(): Promise<void> {
    for await (const item of followTelemetry(client, deviceId, { sleep })) {
      if (item.isErr()) throw new Error(item.error.message);
      seen.push(String(item.value.record["reading"]));
    }
  }
  const following = follow().catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });
  await Promise.race([opened, following]);
  return { seen, ends, stop: () => stopping.abort() };
}
