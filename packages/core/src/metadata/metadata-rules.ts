import { err, ok, type Result } from "neverthrow";
import type { FieldError } from "../contract/index.js";
import { Printable } from "../contract/index.js";
import { toUtf8 } from "../shared/bytes.js";
import { toFieldErrors } from "../shared/field-errors.js";
import type { JsonObject, JsonValue } from "../shared/json.js";
import type { MetadataOptions } from "./metadata-options.js";

/** The limits of one device's metadata. */
const maxBytes = 4_096;
const maxKeys = 64;
const maxIndexed = 8;
/** Without a colon, which separates key and value in a filter. */
const indexableKey = /^[A-Za-z0-9._-]{1,64}$/;

type Errors = readonly FieldError[];

/** Values that match the schema, with the strings by which the device is found. */
export interface CheckedMetadata {
  readonly values: JsonObject;
  readonly index: Readonly<Record<string, string>>;
}

export interface MetadataFilter {
  readonly key: string;
  readonly value: string;
}

/** The embedder's declarations about metadata. */
export interface MetadataRules {
  /** The keys that owners can read. */
  readonly ownerReadable: readonly string[];
  check(values: JsonObject): Result<CheckedMetadata, Errors>;
  /** Parses a filter of the form `key:value`. The key must be indexed. */
  parseFilter(text: string): Result<MetadataFilter, Errors>;
}

const unknownKey = (key: string): FieldError => ({
  path: key,
  code: "unrecognized_keys",
  message: `There is no metadata key "${key}". Remove it with null, or declare it in metadata.schema.`,
});

const tooLarge = (message: string): FieldError => ({ path: "", code: "too_big", message });

const notIndexable = (key: string): FieldError => ({
  path: key,
  code: "not_indexable",
  message: "The key is indexed. Send 1 to 128 printable characters, a number or a boolean.",
});

/** Returns the text by which a device is found. Null if the value cannot be indexed. */
function toIndexText(value: JsonValue): string | null {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return Printable.safeParse(value).data ?? null;
}

function checkIndexed(indexed: readonly string[]): void {
  const isDeclarable =
    indexed.length <= maxIndexed &&
    new Set(indexed).size === indexed.length &&
    indexed.every((key) => indexableKey.test(key));
  if (isDeclarable) return;
  throw new TypeError(
    `createGateway: metadata.indexed is invalid. Pass at most ${maxIndexed} different keys of 1 to 64 of A-Z a-z 0-9 . _ -`,
  );
}

function sizeErrors(values: JsonObject): FieldError[] {
  const bytes = toUtf8(JSON.stringify(values)).length;
  const keys = Object.keys(values).length;
  return [
    ...(bytes > maxBytes
      ? [tooLarge(`The metadata would have ${bytes} bytes of JSON. Keep it to ${maxBytes}.`)]
      : []),
    ...(keys > maxKeys
      ? [tooLarge(`The metadata would have ${keys} keys. Keep it to ${maxKeys}.`)]
      : []),
  ];
}

/**
 * Creates the rules from the option. Without it, every key is unknown.
 * @throws {TypeError} if an indexed key is invalid.
 */
export function createMetadataRules(options: MetadataOptions | undefined): MetadataRules {
  const { schema, ownerReadable = [], indexed = [] } = options ?? {};
  checkIndexed(indexed);

  function validate(values: JsonObject): Result<JsonObject, Errors> {
    if (schema === undefined) return err(Object.keys(values).map(unknownKey));
    const parsed = schema["~standard"].validate(values);
    if (parsed instanceof Promise) {
      throw new TypeError(
        "metadata.schema: the schema is asynchronous. Pass one that validates synchronously.",
      );
    }
    if (parsed.issues !== undefined) return err(toFieldErrors(parsed));
    // Values that JSON cannot express are dropped or become strings, as in any response.
    const returned = JSON.parse(JSON.stringify(parsed.value)) as JsonObject;
    const unknown = Object.keys(values).filter((key) => !Object.hasOwn(returned, key));
    return unknown.length > 0 ? err(unknown.map(unknownKey)) : ok(returned);
  }

  function toIndex(values: JsonObject): Result<CheckedMetadata["index"], Errors> {
    const entries = indexed.flatMap((key) => {
      const value = Object.hasOwn(values, key) ? (values[key] ?? null) : null;
      return value === null ? [] : [{ key, text: toIndexText(value) }];
    });
    const wrong = entries.filter(({ text }) => text === null);
    if (wrong.length > 0) return err(wrong.map(({ key }) => notIndexable(key)));
    return ok(Object.fromEntries(entries.map(({ key, text }) => [key, text as string])));
  }

  return {
    ownerReadable,
    check: (values) =>
      validate(values).andThen((checked) => {
        const tooMuch = sizeErrors(checked);
        if (tooMuch.length > 0) return err(tooMuch);
        return toIndex(checked).map((index) => ({ values: checked, index }));
      }),
    parseFilter(text) {
      const [key = "", ...rest] = text.split(":");
      const value = rest.join(":");
      const invalid = (message: string) =>
        err([{ path: "metadata", code: "invalid_filter", message }]);
      if (!indexed.includes(key)) {
        const known = indexed.length > 0 ? indexed.join(", ") : "none";
        return invalid(`Send key:value with an indexed key. The indexed keys are: ${known}.`);
      }
      if (!Printable.safeParse(value).success) {
        return invalid("Send 1 to 128 printable characters after the colon.");
      }
      return ok({ key, value });
    },
  };
}
