import type { StandardSchemaV1 } from "@standard-schema/spec";
import { err, ok, type Result } from "neverthrow";
import { CommandName, type FieldError, updateNow } from "../contract/index.js";
import { toUtf8 } from "../shared/bytes.js";
import { dayMs } from "../shared/durations.js";
import { toFieldErrors } from "../shared/field-errors.js";
import { isJsonObject, isNestedDeeper, type JsonObject, type JsonValue } from "../shared/json.js";
import type { CommandOptions } from "./command-options.js";

/** The largest payload and the largest result, in bytes of JSON. */
const maxBytes = 4_096;
/** The deepest nesting of payload and result. */
const maxDepth = 32;
const longestSeconds = 2_592_000;

type Errors = readonly FieldError[];

/** A declared command. */
export interface CommandKind {
  readonly sentBy: readonly ("owner" | "operator")[];
  readonly expiresAfterMs: number;
  readonly answerWithinMs: number;
  /** Validates a payload. The errors name the fields below `payload`. */
  check(payload: JsonObject): Result<JsonObject, Errors>;
}

/** The owner's "update now". A device that was switched off for months still gets it. */
const updateNowKind: CommandKind = {
  sentBy: ["owner"],
  expiresAfterMs: 365 * dayMs,
  answerWithinMs: dayMs,
  check: (payload) => checkPayload(updateNow, noFields, payload),
};

/** The declarations of the gateway and the embedder about commands. */
export interface CommandRules {
  /** Returns the declaration of a name. The error names the declared ones. */
  find(name: string): Result<CommandKind, Errors>;
}

/** Returns the errors of a value that is too large or nested too deeply. `path` names it in them. */
export function boundErrors(path: string, value: JsonValue): FieldError[] {
  if (isNestedDeeper(value, maxDepth)) {
    const message = `Nest it at most ${maxDepth} levels deep.`;
    return [{ path, code: "too_deep", message }];
  }
  const bytes = toUtf8(JSON.stringify(value)).length;
  if (bytes <= maxBytes) return [];
  return [
    { path, code: "too_big", message: `It has ${bytes} bytes of JSON. Send at most ${maxBytes}.` },
  ];
}

function toMs(option: string, seconds: number): number {
  if (Number.isSafeInteger(seconds) && seconds >= 1 && seconds <= longestSeconds) {
    return seconds * 1_000;
  }
  throw new TypeError(
    `createGateway: ${option} is invalid. Pass a whole number of seconds from 1 to ${longestSeconds}.`,
  );
}

const below = (path: string) => (path === "" ? "payload" : `payload.${path}`);

function checkPayload(
  name: string,
  schema: StandardSchemaV1,
  payload: JsonObject,
): Result<JsonObject, Errors> {
  const tooMuch = boundErrors("payload", payload);
  if (tooMuch.length > 0) return err(tooMuch);
  const parsed = schema["~standard"].validate(payload);
  if (parsed instanceof Promise) {
    throw new TypeError(
      `commands["${name}"].payload: the schema is asynchronous. Pass one that validates synchronously.`,
    );
  }
  if (parsed.issues !== undefined) {
    return err(toFieldErrors(parsed).map((error) => ({ ...error, path: below(error.path) })));
  }
  // Values that JSON cannot express are dropped or become strings, as in any response.
  const returned = JSON.parse(JSON.stringify(parsed.value ?? null)) as JsonValue;
  if (!isJsonObject(returned)) {
    throw new TypeError(
      `commands["${name}"].payload: the schema returned no object. Pass an object schema.`,
    );
  }
  const unknown = Object.keys(payload).filter((key) => !Object.hasOwn(returned, key));
  if (unknown.length > 0) {
    const message = "The command has no such field. Leave it out.";
    return err(unknown.map((key) => ({ path: below(key), code: "unrecognized_keys", message })));
  }
  const tooLarge = boundErrors("payload", returned);
  return tooLarge.length > 0 ? err(tooLarge) : ok(returned);
}

/** The schema of an empty payload. */
const noFields: StandardSchemaV1 = {
  "~standard": { version: 1, vendor: "device-gateway", validate: () => ({ value: {} }) },
};

function toKind(
  name: string,
  { payload, sentBy, expiresAfterSeconds = 3_600, answerWithinSeconds = 600 }: CommandOptions,
): CommandKind {
  if (!CommandName.safeParse(name).success) {
    throw new TypeError(
      `createGateway: commands has an invalid name. Name each with 1 to 64 of A-Z a-z 0-9 . _ -`,
    );
  }
  return {
    sentBy,
    expiresAfterMs: toMs(`commands["${name}"].expiresAfterSeconds`, expiresAfterSeconds),
    answerWithinMs: toMs(`commands["${name}"].answerWithinSeconds`, answerWithinSeconds),
    check: (sent) => checkPayload(name, payload, sent),
  };
}

/**
 * Creates the rules from the option. Without it, only "update now" can be sent.
 * @throws {TypeError} if a name or a number of seconds is invalid, or a name is that of the gateway's own command.
 */
export function createCommandRules(
  options: Readonly<Record<string, CommandOptions>> = {},
): CommandRules {
  if (Object.hasOwn(options, updateNow)) {
    throw new TypeError(
      `createGateway: commands["${updateNow}"] is declared by the gateway itself. Choose another name.`,
    );
  }
  const kinds = new Map([
    ...Object.entries(options).map(([name, declared]) => [name, toKind(name, declared)] as const),
    [updateNow, updateNowKind],
  ]);
  return {
    find(name) {
      const kind = kinds.get(name);
      if (kind !== undefined) return ok(kind);
      const message = `There is no such command. The commands are: ${[...kinds.keys()].join(", ")}.`;
      return err([{ path: "name", code: "unknown_command", message }]);
    },
  };
}
