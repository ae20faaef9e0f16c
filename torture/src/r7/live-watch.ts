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

const impatient = (ms: number) => wait(Math.min(ms, 50));

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

  async function* noteEnd(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
      ends.clean += 1;
    } catch (error) {
      if (!stopping.signal.aborted) ends.broken += 1;
      throw error;
    }
  }
  const watchedFetch = async (url: string, init: RequestInit) => {
    const response = await fetch(url, { ...init, signal: stopping.signal });
    if (!response.ok || response.body === null) return response;
    noteOpen();
    const body = ReadableStream.from(noteEnd(response.body)) as ReadableStream<
      Uint8Array<ArrayBuffer>
    >;
    return new Response(body, response);
  };

  const client = createUserClient({ baseUrl, token, fetch: watchedFetch });
  async function follow(): Promise<void> {
    for await (const item of followTelemetry(client, deviceId, { sleep: impatient })) {
      if (stopping.signal.aborted) return;
      if (item.isErr()) throw new Error(item.error.message);
      seen.push(String(item.value.record["reading"]));
    }
  }
  await Promise.race([opened, follow()]);
  return { seen, ends, stop: () => stopping.abort() };
}
