import { inspect } from "node:util";
import type { GatewayRequest, Logger } from "@device-gateway/core";
import type { Handle } from "../attack.js";
import type { Secret } from "./find-secrets.js";

/** Fields of requests and responses that contain secrets. */
const secretFields = ["claimCode", "deviceSecret", "token", "password"] as const;

export interface Collected {
  readonly secrets: ReadonlyMap<string, Secret>;
  add(what: string, value: unknown): void;
  addFields(from: unknown): void;
}

export function collectSecrets(): Collected {
  const secrets = new Map<string, Secret>();
  const add = (what: string, value: unknown) => {
    if (typeof value === "string") secrets.set(value, { what, value });
  };
  return {
    secrets,
    add,
    addFields(from) {
      if (typeof from !== "object" || from === null) return;
      for (const name of secretFields) add(name, (from as Record<string, unknown>)[name]);
    },
  };
}

/** Collects every secret in requests to a gateway and in its responses. */
export const collecting =
  (collected: Collected, handle: Handle): Handle =>
  async (request: GatewayRequest) => {
    const token = /^Bearer (.+)$/.exec(request.header("authorization") ?? "")?.[1];
    collected.add("a bearer token", token);
    collected.add("a session's cookie", /^session=(.+)$/.exec(request.header("cookie") ?? "")?.[1]);
    const answer = await handle({
      ...request,
      json: async (limit) => {
        const body = await request.json(limit);
        if (body.kind === "value") collected.addFields(body.value);
        return body;
      },
    });
    if (typeof answer.body === "string") {
      if (answer.body.startsWith("{")) collected.addFields(JSON.parse(answer.body));
      return answer;
    }
    if (answer.headers["content-type"] !== "application/json") return answer;
    // A large body comes in pieces.
    const pieces: Uint8Array[] = [];
    for await (const piece of answer.body) pieces.push(Buffer.from(piece));
    const body = Buffer.concat(pieces).toString();
    collected.addFields(JSON.parse(body));
    return { ...answer, body };
  };

/** Creates a logger that keeps each line in full, including errors with their causes and fields. */
export function createKeptLog(): { readonly logger: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  const keep = (fields: object, message: string) =>
    void lines.push(
      `${message} ${inspect(fields, { depth: 20, maxStringLength: null, maxArrayLength: null })}`,
    );
  return { lines, logger: { debug: keep, info: keep, warn: keep, error: keep } };
}
