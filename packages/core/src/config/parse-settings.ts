import type { StandardSchemaV1 } from "@standard-schema/spec";
import { err, ok, type Result } from "neverthrow";
import { BaseSettings, type FieldError } from "../contract/index.js";
import { toFieldErrors } from "../shared/field-errors.js";
import type { JsonObject } from "../shared/json.js";

/** Parses the settings of one device. The errors name the settings. */
export type ParseSettings = (layer: JsonObject) => Result<JsonObject, readonly FieldError[]>;

/** The gateway adds these to the configuration, so no setting may have such a name. */
const reserved: readonly string[] = ["configVersion", "otaUpdateRequestId", "commandsWaiting"];
const taken = [...Object.keys(BaseSettings.shape), ...reserved];

const pick = (layer: JsonObject, wanted: (name: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(layer).filter(([name]) => wanted(name)));

const unknownSetting = (name: string): FieldError => ({
  path: name,
  code: "unrecognized_keys",
  message: `There is no setting "${name}". Remove it, or declare it in config.settings.`,
});

/**
 * Returns what a device receives of the embedder's settings: values that JSON cannot express are dropped or become strings.
 * @throws {TypeError} if JSON has no form for a value, such as a bigint.
 */
const toJson = (settings: JsonObject) => JSON.parse(JSON.stringify(settings)) as JsonObject;

/**
 * Creates a parser of the base settings and the embedder's own settings. The embedder's schema may come from any library
 * that implements Standard Schema. It gets only the embedder's settings.
 */
export function createSettingsParser(own: StandardSchemaV1 | undefined): ParseSettings {
  function parseOwn(layer: JsonObject): Result<JsonObject, readonly FieldError[]> {
    if (own === undefined) return ok({});
    const parsed = own["~standard"].validate(layer);
    if (parsed instanceof Promise) {
      throw new TypeError(
        "config.settings: the schema is asynchronous. Pass one that validates synchronously.",
      );
    }
    if (parsed.issues !== undefined) return err(toFieldErrors(parsed));
    const settings = parsed.value as JsonObject;
    for (const name of taken) {
      if (!Object.hasOwn(settings, name)) continue;
      throw new TypeError(`config.settings: the name "${name}" is reserved. Choose another name.`);
    }
    return ok(settings);
  }

  return (layer) => {
    const base = BaseSettings.safeParse(layer);
    const ownLayer = pick(layer, (name) => !taken.includes(name));
    const parsed = parseOwn(ownLayer);
    const known = parsed.unwrapOr(ownLayer);
    const unknown = [
      ...Object.keys(ownLayer).filter((name) => !Object.hasOwn(known, name)),
      ...reserved.filter((name) => Object.hasOwn(layer, name)),
    ];
    const errors = [
      ...(base.success ? [] : toFieldErrors(base.error)),
      ...(parsed.isErr() ? parsed.error : []),
      ...unknown.map(unknownSetting),
    ];
    return errors.length > 0 ? err(errors) : ok({ ...base.data, ...toJson(known) });
  };
}
