import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import type { JsonObject } from "@device-gateway/core/store";
import type { Dice } from "../dice.js";

/** A transition of an alert, as a message of a webhook or a notification tells it. */
export interface Notice {
  /** The id of the message, which stays the same when it is repeated. */
  readonly id: string;
  readonly deviceId: string;
  /** Such as `firing 71.5 1769860800000`: the value, and when it was measured. */
  readonly transition: string;
}

/** Receives what a gateway forwards. It refuses or drops some requests at random. */
export interface Receiver {
  readonly url: string;
  /** The last value of each device and millisecond, by `device millisecond`. */
  readonly values: ReadonlyMap<string, number>;
  /** All notices in the order of their arrival, repeated ones too. */
  readonly notices: readonly Notice[];
  close(): void;
}

export interface ReceiverOptions {
  /** The metric of the lines that count. */
  readonly metric: string;
  readonly dice: Dice;
  /** The probability that a request of a path is refused or dropped. */
  readonly failures: Readonly<Record<string, number>>;
}

export const toTransition = (kind: string, { value, measuredAt }: JsonObject): string =>
  `${kind} ${String(value)} ${String(measuredAt)}`;

interface WebhookMessage {
  readonly type: string;
  readonly data: { readonly deviceId: string; readonly details: JsonObject };
}

interface Notification {
  readonly id: string;
  readonly kind: string;
  readonly deviceId: string;
  readonly details: JsonObject;
}

/**
 * Starts a receiver with three paths: `/write` takes lines, `/hook` webhooks, and `/notices` lists of notifications.
 */
export async function startReceiver({
  metric,
  dice,
  failures,
}: ReceiverOptions): Promise<Receiver> {
  const values = new Map<string, number>();
  const notices: Notice[] = [];
  const line = new RegExp(`^telemetry,deviceId=([^,]+),[^ ]+ ${metric}=(\\S+) (\\d+)$`);
  const take: Readonly<Record<string, (body: Buffer, id: string) => void>> = {
    "/write"(body) {
      for (const each of gunzipSync(body).toString().split("\n")) {
        const [, deviceId = "", value = "", at = ""] = line.exec(each) ?? [];
        if (deviceId !== "") values.set(`${deviceId} ${at}`, Number(value));
      }
    },
    "/hook"(body, id) {
      const { type, data } = JSON.parse(body.toString()) as WebhookMessage;
      const transition = toTransition(type.replace("alert.", ""), data.details);
      notices.push({ id, deviceId: data.deviceId, transition });
    },
    "/notices"(body) {
      for (const each of JSON.parse(body.toString()) as readonly Notification[]) {
        const { id, deviceId, kind, details } = each;
        notices.push({ id, deviceId, transition: toTransition(kind, details) });
      }
    },
  };
  const server = createServer((request, response) => {
    void buffer(request).then(
      (body) => {
        const [path = ""] = (request.url ?? "").split("?");
        const fails = dice.chance(failures[path] ?? 0);
        if (fails && dice.chance(0.5)) return void response.writeHead(503).end();
        take[path]?.(body, String(request.headers["webhook-id"]));
        // It has the content, but the sender gets no response.
        if (fails) response.destroy();
        else response.writeHead(204).end();
      },
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    values,
    notices,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
