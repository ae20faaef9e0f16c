import { setTimeout as wait } from "node:timers/promises";
import { createUserClient, followTelemetry } from "@device-gateway/device-client";

/** A dashboard that follows a device's live stream through restarts. */
export interface LiveWatch {
  /** Readings received so far, in order. */
  readonly seen: readonly string[];
  /** How many of its streams ended cleanly, and how many broke off. */
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
  const { signal } = stopping;
  let reportOpen = () => {};
  const opened = new Promise<void>((resolve) => {
    reportOpen = resolve;
  });

  const countEnd = (reader: ReadableStreamDefaultReader<Uint8Array>): UnderlyingDefaultSource => ({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (signal.aborted) return;
        if (!done) return controller.enqueue(value);
        ends.clean += 1;
        controller.close();
      } catch (error) {
        ends.broken += 1;
        controller.error(error);
      }
    },
    cancel: () => reader.cancel(),
  });
  const watchedFetch = async (url: string, init: RequestInit) => {
    const response = await fetch(url, init);
    if (!response.ok || response.body === null) return response;
    reportOpen();
    return new Response(new ReadableStream(countEnd(response.body.getReader())), response);
  };

  const sleep = (ms: number) => wait(Math.min(ms, 50));
  const client = createUserClient({ baseUrl, token, fetch: watchedFetch });
  async function follow(): Promise<void> {
    for await (const item of followTelemetry(client, deviceId, { signal, sleep })) {
      if (item.isErr()) throw new Error(item.error.message);
      seen.push(String(item.value.record["reading"]));
    }
  }
  await Promise.race([opened, follow()]);
  return { seen, ends, stop: () => stopping.abort() };
}
