import { err, ok, type Result } from "neverthrow";
import { mergePatch } from "../config/merge-patch.js";
import { type FieldError, type MetricDescription, MetricDescriptions } from "../contract/index.js";
import { toUtf8 } from "../shared/bytes.js";
import type { JsonObject } from "../shared/json.js";
import type { MetricOptions } from "./metric-options.js";

/** Largest length of the descriptions of one target hardware, as JSON in UTF-8. */
const maxBytes = 32_768;

/** Replaces fields of descriptions by those of a higher layer. Both consist of JSON values. */
export const mergeDescriptions = (lower: MetricDescriptions, higher: object): MetricDescriptions =>
  mergePatch(lower as JsonObject, higher as JsonObject) as MetricDescriptions;

type Described = readonly [name: string, description: MetricDescription];

/** Returns an error for each range that is empty. `problem` says which range. */
const emptyRanges = (described: readonly Described[], problem: string): FieldError[] =>
  described.flatMap(([name, { min = -Infinity, max = Infinity }]) => {
    const message = `${problem} Send a \`max\` that is higher than \`min\`.`;
    return min < max ? [] : { path: `${name}.max`, code: "custom", message };
  });

function check(descriptions: MetricDescriptions): Result<MetricDescriptions, FieldError[]> {
  const described = Object.entries(descriptions).filter(([, one]) => Object.keys(one).length > 0);
  const wrong = emptyRanges(described, "The range is empty.");
  if (wrong.length > 0) return err(wrong);
  const checked = Object.fromEntries(described);
  const bytes = toUtf8(JSON.stringify(checked)).length;
  if (bytes <= maxBytes) return ok(checked);
  const message = `The descriptions would have ${bytes} bytes of JSON. Keep them to ${maxBytes}.`;
  return err([{ path: "", code: "too_big", message }]);
}

/** What the embedder declared about metrics, and what operators may set. */
export interface MetricRules {
  declaredFor(targetHardware: string): MetricDescriptions;
  /**
   * Returns the descriptions that operators set for a hardware without empty ones, or what is wrong with them. `changed`
   * are the metrics whose range must also be valid together with the declared descriptions. The embedder may have
   * declared others since the rest was set.
   */
  check(
    targetHardware: string,
    descriptions: MetricDescriptions,
    changed: readonly string[],
  ): Result<MetricDescriptions, readonly FieldError[]>;
}

/**
 * Creates the rules from the option.
 * @throws {TypeError} if a description is invalid.
 */
export function createMetricRules({
  defaults = {},
  byTargetHardware = {},
}: MetricOptions = {}): MetricRules {
  const parse = (place: string, given: MetricDescriptions) => {
    const parsed = MetricDescriptions.safeParse(given);
    const issues = parsed.error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
    const wrong =
      issues ??
      check(given).match(
        () => [],
        (all) => all.map(({ path, message }) => `${path}: ${message}`),
      );
    if (wrong.length === 0) return parsed.data as MetricDescriptions;
    throw new TypeError(`createGateway: ${place} is invalid.\n${wrong.join("\n")}`);
  };
  const base = parse("metrics.defaults", defaults);
  const hardware = new Map(
    Object.entries(byTargetHardware).map(([target, given]) => {
      const place = `metrics.byTargetHardware["${target}"]`;
      return [target, parse(place, mergeDescriptions(base, parse(place, given)))];
    }),
  );
  const declaredFor = (targetHardware: string) => hardware.get(targetHardware) ?? base;
  return {
    declaredFor,
    check: (targetHardware, descriptions, changed) =>
      check(descriptions).andThen((checked) => {
        const shown = Object.entries(mergeDescriptions(declaredFor(targetHardware), checked));
        const names = new Set(changed);
        const wrong = emptyRanges(
          shown.filter(([name]) => names.has(name)),
          "Together with the declared description, the range is empty.",
        );
        return wrong.length > 0 ? err(wrong) : ok(checked);
      }),
  };
}
