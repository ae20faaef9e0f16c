import { BrokenBodyError } from "../http/request/broken-body-error.js";
import { parseJsonBody } from "../http/request/json-body.js";
import type { GatewayRequest, JsonBody } from "../http/request/message.js";
import { toUtf8 } from "../shared/bytes.js";

type Fields = Readonly<Record<string, unknown>>;

/** The parts that a call in code passes. */
export interface SentParts {
  readonly params?: Fields;
  readonly query?: Fields;
  readonly headers?: Fields;
  readonly body?: unknown;
}

/** Converts parameters to text, as HTTP sends them. Leaves undefined ones out. */
export const textFields = (fields: Fields = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  );

/** Reads a body as if it had been sent as JSON. Values that JSON cannot express are dropped, or make the body malformed. */
function readJson(body: unknown, limit: number): JsonBody {
  if (body === undefined) return { kind: "absent" };
  let text: string;
  try {
    text = JSON.stringify(body);
  } catch {
    return { kind: "malformed" };
  }
  const bytes = toUtf8(text ?? "");
  return bytes.length > limit ? { kind: "too_large" } : parseJsonBody(bytes);
}

async function* streamBytes(body: unknown): AsyncGenerator<Uint8Array> {
  if (body === undefined) return;
  if (body instanceof Uint8Array) yield body;
  else {
    try {
      yield* body as AsyncIterable<Uint8Array>;
    } catch (cause) {
      throw new BrokenBodyError("The image could not be read to its end.", { cause });
    }
  }
}

/** Converts a call in code to a request, so that its parts are parsed and checked like those of an HTTP request. */
export function toGatewayRequest(
  { query, headers, body }: SentParts,
  clientAddress: string | null,
): GatewayRequest {
  const sentHeaders = textFields(headers);
  return {
    method: "",
    path: "",
    query: new URLSearchParams(textFields(query)).toString(),
    clientAddress,
    header: (name) => sentHeaders[name],
    json: async (limit) => readJson(body, limit),
    stream: () => streamBytes(body),
  };
}
