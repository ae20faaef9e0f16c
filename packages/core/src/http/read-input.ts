import { err, ok, type Result } from "neverthrow";
import type { Route } from "../contract/index.js";
import type { Failure } from "../failure.js";
import { toFieldErrors } from "../field-errors.js";
import type { Limits } from "../limits.js";
import type { GatewayRequest } from "./message.js";

/** The parts of a request, each as its schema gives it. */
export interface Input {
  readonly params: unknown;
  readonly query: unknown;
  readonly headers: unknown;
  readonly body: unknown;
}

type InputFailure = Failure<
  "invalid_request" | "malformed_json" | "payload_too_large" | "unsupported_media_type"
>;

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;\s*charset="?utf-8"?\s*)?$/i;

function isJson(request: GatewayRequest): boolean {
  const type = request.header("content-type");
  return type === undefined || type === "" || jsonType.test(type);
}

function isEncoded(request: GatewayRequest): boolean {
  const encoding = request.header("content-encoding");
  return encoding !== undefined && encoding !== "identity";
}

async function readBody(
  route: Route,
  request: GatewayRequest,
  limits: Limits,
): Promise<Result<unknown, InputFailure>> {
  if (route.request.kind === "none") return ok(undefined);
  const limit = limits[route.request.limit];
  if (isEncoded(request)) return err({ code: "unsupported_media_type" });
  if (route.request.kind === "json" && !isJson(request))
    return err({ code: "unsupported_media_type" });
  if (Number(request.header("content-length") ?? 0) > limit) {
    return err({ code: "payload_too_large" });
  }
  // Its handler reads it.
  if (route.request.kind === "bytes") return ok(undefined);
  const body = await request.json(limit);
  switch (body.kind) {
    case "value":
      return ok(body.value);
    case "absent":
      return ok(undefined);
    case "malformed":
      return err({ code: "malformed_json" });
    case "too_large":
      return err({ code: "payload_too_large" });
  }
}

/** Reads what a route wants of a request, and checks each part against its schema. */
export async function readInput(
  route: Route,
  params: Readonly<Record<string, string>>,
  request: GatewayRequest,
  limits: Limits,
): Promise<Result<Input, InputFailure>> {
  const body = await readBody(route, request, limits);
  if (body.isErr()) return err(body.error);

  const headerNames = Object.keys(route.headers?.shape ?? {});
  const parts = {
    params: { schema: route.params, value: params },
    query: { schema: route.query, value: Object.fromEntries(new URLSearchParams(request.query)) },
    headers: {
      schema: route.headers,
      value: Object.fromEntries(headerNames.map((name) => [name, request.header(name)])),
    },
    body: {
      schema: route.request.kind === "json" ? route.request.schema : undefined,
      value: body.value,
    },
  };
  const input: Record<string, unknown> = {};
  for (const [part, { schema, value }] of Object.entries(parts)) {
    const parsed = schema?.safeParse(value);
    if (parsed?.success === false) {
      return err({ code: "invalid_request", errors: toFieldErrors(parsed.error) });
    }
    input[part] = parsed?.data;
  }
  return ok(input as unknown as Input);
}
