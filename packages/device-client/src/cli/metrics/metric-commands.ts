import type {
  MetricDescription,
  MetricDescriptions,
  MetricsPatch,
} from "@device-gateway/core/contract";
import {
  type CliContext,
  CliError,
  type Command,
  defineCommand,
  exitCodes,
  type Values,
} from "../command.js";
import { createOperatorApi, serverOptions } from "../operator-api.js";
import { renderTable } from "../table.js";

const heads = ["metric", "name", "unit", "decimals", "min", "max", "set by"];

const cellsOf = ({ displayName = "", unit = "", decimals, min, max }: MetricDescription) => [
  ...[displayName, unit],
  ...[decimals, min, max].map((number) => (number === undefined ? "" : String(number))),
];

/** Returns who set the shown fields of a metric. */
const sourceOf = (metric: string, own: MetricDescriptions, declared: MetricDescriptions) =>
  own[metric] === undefined ? "server" : declared[metric] === undefined ? "operator" : "both";

function renderMetrics(own: MetricDescriptions, declared: MetricDescriptions): string {
  const names = [...new Set([...Object.keys(declared), ...Object.keys(own)])].sort();
  const rows = names.map((metric) => [
    metric,
    ...cellsOf({ ...declared[metric], ...own[metric] }),
    sourceOf(metric, own, declared),
  ]);
  return renderTable([heads, ...rows]);
}

/** `device-gateway metrics list` */
const list = defineCommand({
  name: "metrics list",
  summary: "Lists how the metrics of a target hardware are shown.",
  operands: ["HARDWARE"],
  options: serverOptions,
  async run(context, { operands: [targetHardware], values }) {
    const api = createOperatorApi(context, values);
    const { body } = await api.call("readHardwareMetrics", { query: { targetHardware } });
    const { metrics, declared } = body;
    if (Object.keys(metrics).length + Object.keys(declared).length > 0)
      context.print(renderMetrics(metrics, declared));
    else
      context.log(
        "No metric of this hardware is described. Describe one: device-gateway metrics set --help",
      );
  },
});

const fieldOptions = {
  name: { type: "string", help: 'Name that people see. "*" becomes the index, from 1.' },
  unit: { type: "string", help: "Unit of the values, such as V." },
  decimals: { type: "string", value: "0-9", help: "How many decimals are shown." },
  min: {
    type: "string",
    value: "NUMBER",
    help: "Lowest expected value. Charts begin here or lower.",
  },
  max: {
    type: "string",
    value: "NUMBER",
    help: "Highest expected value. Charts end here or higher.",
  },
} as const;

/** Parses the value of an option. Null removes the field. @throws {CliError} if it is not a number. */
function readNumber(option: string, text: string): number | null {
  if (text === "") return null;
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value)) return value;
  throw new CliError(`--${option}: "${text}" is not a number.`, exitCodes.usage);
}

/** Returns the fields to change. @throws {CliError} if there are none. */
function readFields(values: Values<typeof fieldOptions>): NonNullable<MetricsPatch[string]> {
  const { name, unit, decimals, min, max } = values;
  const fields = {
    ...(name !== undefined && { displayName: name || null }),
    ...(unit !== undefined && { unit: unit || null }),
    ...(decimals !== undefined && { decimals: readNumber("decimals", decimals) }),
    ...(min !== undefined && { min: readNumber("min", min) }),
    ...(max !== undefined && { max: readNumber("max", max) }),
  };
  if (Object.keys(fields).length > 0) return fields;
  const names = Object.keys(fieldOptions).map((option) => `--${option}`);
  throw new CliError(`Pass at least one of ${names.join(", ")}.`, exitCodes.usage);
}

async function change(
  context: CliContext,
  targetHardware: string,
  body: MetricsPatch,
  values: Values<typeof serverOptions>,
) {
  const api = createOperatorApi(context, values);
  const answer = await api.call("changeHardwareMetrics", { query: { targetHardware }, body });
  return answer.body;
}

/** `device-gateway metrics set` */
const set = defineCommand({
  name: "metrics set",
  summary: "Sets how a metric of a target hardware is shown. Other fields of the metric stay.",
  operands: ["HARDWARE", "METRIC"],
  options: { ...fieldOptions, ...serverOptions },
  notes: `An empty value removes a field: --unit "". Write a negative number with "=": --min=-40.
A * in METRIC stands for any index of a list:
  device-gateway metrics set esp32 'cells.*.voltage' --name 'Cell *' --unit V --decimals 3`,
  async run(context, { operands: [targetHardware, metric], values }) {
    const fields = readFields(values);
    const { metrics, declared } = await change(
      context,
      targetHardware,
      { [metric]: fields },
      values,
    );
    const only = (from: MetricDescriptions) => {
      const description = from[metric];
      return description === undefined ? {} : { [metric]: description };
    };
    context.print(renderMetrics(only(metrics), only(declared)));
  },
});

/** `device-gateway metrics remove` */
const remove = defineCommand({
  name: "metrics remove",
  summary:
    "Removes what operators set for a metric of a target hardware. What the server declares stays.",
  operands: ["HARDWARE", "METRIC"],
  options: serverOptions,
  async run(context, { operands: [targetHardware, metric], values }) {
    await change(context, targetHardware, { [metric]: null }, values);
    context.print(`${metric}: operators set nothing for ${targetHardware}.`);
  },
});

/** The commands `device-gateway metrics …`, in the order of the help. */
export const metricCommands: readonly Command[] = [list, set, remove];
