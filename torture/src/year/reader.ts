import type { GatewayRequest } from "@device-gateway/core";
import { readJson, type World } from "../world.js";

/** Reads a device's history as its owner. */
export interface HistoryReader {
  /** Returns all pages of a chart, oldest point first, and the interval that the gateway chose. */
  history(query: Record<string, string>): Promise<{
    interval: string;
    points: { at: number; values: Record<string, unknown> }[];
  }>;
  /** Yields the lines of an export. */
  exported(query: Record<string, string>): AsyncGenerator<string>;
}

interface HistoryAnswer {
  readonly interval: string;
  readonly points: readonly { readonly timestamp: string }[];
  readonly truncated: boolean;
  readonly nextCursor: string | null;
}

export function createHistoryReader(world: World, token: string, deviceId: string): HistoryReader {
  const [gateway] = world.gateways;

  async function get(what: string, query: Record<string, string>) {
    const headers: Record<string, string> = { authorization: `Bearer ${token}` };
    const request: GatewayRequest = {
      method: "GET",
      path: `/api/v1/dashboard/devices/${deviceId}/telemetry/${what}`,
      query: new URLSearchParams(query).toString(),
      clientAddress: "192.0.2.1",
      header: (name) => headers[name],
      json: async () => ({ kind: "absent" }),
      async *stream() {},
    };
    const response = await gateway?.handle(request);
    if (response?.status !== 200) throw new Error(`${what} returned ${response?.status}`);
    return response.body;
  }

  return {
    async history(query) {
      const points: { at: number; values: Record<string, unknown> }[] = [];
      let interval = "";
      for (let cursor: string | null = ""; cursor !== null; ) {
        const page = await get("history", { ...query, ...(cursor !== "" && { cursor }) });
        const answer = JSON.parse(await readJson(page)) as HistoryAnswer;
        if (answer.truncated !== (answer.nextCursor !== null))
          throw new Error("`truncated` and `nextCursor` contradict each other");
        interval ||= answer.interval;
        points.unshift(
          ...answer.points.map(({ timestamp, ...values }) => ({
            at: Date.parse(timestamp),
            values,
          })),
        );
        cursor = answer.nextCursor;
      }
      return { interval, points };
    },
    async *exported(query) {
      const body = await get("export", query);
      if (typeof body === "string") throw new Error("The export is not a stream.");
      let rest = "";
      for await (const piece of body) {
        const lines = (rest + String(piece)).split("\n");
        rest = lines.pop() ?? "";
        yield* lines;
      }
      if (rest !== "") throw new Error("The export does not end with a newline.");
    },
  };
}
