import type { OperatorRelease } from "@device-gateway/core/contract";
import { defineCommand } from "../command.js";
import { createOperatorApi, serverOptions } from "../operator-api.js";
import { renderTable } from "../table.js";

const heads = ["release", "version", "target", "channel", "status", "share", "released", "bytes"];

const statusOf = ({ status, haltedAt, hasImage, externalUrl }: OperatorRelease) => {
  if (haltedAt !== null) return "halted";
  return status === "draft" && !hasImage && externalUrl === null ? "draft, no image" : status;
};

const rowOf = (release: OperatorRelease) => [
  String(release.id),
  release.isLatest ? `${release.version} *` : release.version,
  release.targetHardware,
  release.rolloutChannel,
  statusOf(release),
  `${release.rolloutPercent} %`,
  release.releasedAt,
  release.size.toLocaleString("en"),
];

/** `device-gateway firmware list` */
export const list = defineCommand({
  name: "firmware list",
  summary: "Lists releases, newest first. * marks the latest active one of a target and channel.",
  operands: [],
  options: {
    target: { type: "string", value: "NAME", help: "Only for this hardware." },
    channel: { type: "string", value: "NAME", help: "Only on this channel." },
    ...serverOptions,
  },
  async run(context, { values }) {
    const api = createOperatorApi(context, values);
    const rows: string[][] = [];
    let cursor: string | null | undefined;
    do {
      const query = {
        limit: "500",
        ...(cursor && { cursor }),
        ...(values.target !== undefined && { targetHardware: values.target }),
        ...(values.channel !== undefined && { rolloutChannel: values.channel }),
      };
      const page = (await api.call("listReleases", { query })).body;
      rows.push(...page.releases.map(rowOf));
      cursor = page.nextCursor;
    } while (cursor);
    if (rows.length > 0) context.print(renderTable([heads, ...rows]));
    else context.log("There are no releases. Publish one: device-gateway firmware publish --help");
  },
});
