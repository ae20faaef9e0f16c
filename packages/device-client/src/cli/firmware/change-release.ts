import type { ReleaseChange } from "@device-gateway/core/contract";
import { type CliContext, CliError, defineCommand, exitCodes, type Values } from "../command.js";
import { createOperatorApi, serverOptions } from "../operator-api.js";
import { readPercent } from "./read-percent.js";

type ServerValues = Values<typeof serverOptions>;

/** Parses the number of a release, as `firmware list` shows it. @throws {CliError} if it is invalid. */
export function readReleaseId(text: string): string {
  if (/^[1-9]\d{0,15}$/.test(text)) return text;
  throw new CliError(
    `"${text}" is not the number of a release. To see the numbers: device-gateway firmware list`,
    exitCodes.usage,
  );
}

async function change(context: CliContext, id: string, body: ReleaseChange, values: ServerValues) {
  const api = createOperatorApi(context, values);
  const params = { releaseId: readReleaseId(id) };
  const { release } = (await api.call("changeRelease", { params, body })).body;
  const { version, targetHardware, status, rolloutPercent, rolloutChannel } = release;
  context.print(
    `Release ${release.id}: ${version} for ${targetHardware} is ${status}, ${rolloutPercent} % on ${rolloutChannel}.`,
  );
}

const defineStatusCommand = (
  verb: string,
  summary: string,
  status: "active" | "paused" | "withdrawn",
) =>
  defineCommand({
    name: `firmware ${verb}`,
    summary,
    operands: ["RELEASE"],
    options: serverOptions,
    run: (context, { operands: [id], values }) => change(context, id, { status }, values),
  });

export const pause = defineStatusCommand(
  "pause",
  "Stops offering a release, until it is resumed.",
  "paused",
);
export const resume = defineStatusCommand("resume", "Offers a draft or paused release.", "active");
export const withdraw = defineStatusCommand(
  "withdraw",
  "Stops offering a release permanently. Devices that run it keep it.",
  "withdrawn",
);

/** `device-gateway firmware rollout` */
export const rollout = defineCommand({
  name: "firmware rollout",
  summary: "Sets the percentage of devices that are offered a release.",
  operands: ["RELEASE", "PERCENT"],
  options: serverOptions,
  run: (context, { operands: [id, percent], values }) =>
    change(context, id, { rolloutPercent: readPercent("PERCENT", percent) }, values),
});
