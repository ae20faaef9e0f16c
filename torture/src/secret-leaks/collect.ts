import { inspect } from "node:util";
import type { GatewayRequest, Logger } from "@device-gateway/core";
import type { Handle } from "../attack.js";
import type { Secret } from "./find-secrets.js";

/** Names under which requests and answers carry secrets. */
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

/** Takes note of every secret that goes through a gateway's door, in or out. */
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
    if (typeof answer.body === "string" && answer.body.startsWith("{")) {
      collected.addFields(JSON.parse(answer.body));
    }
    return answer;
  };

/** A log that keeps all of every line, errors with their causes and own fields among it. */
export function createKeptLog(): { readonly logger: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  const keep = (fields: object, message: string) =>
    void lines.push(
      `${message} ${inspect(fields, { depth: 20, maxStringLength: null, maxArrayLength: null })}`,
    );
  return { lines, logger: { debug: keep, info: keep, warn: keep, error: keep } };
}
