import { routes } from "@device-gateway/core/contract";
import { defineCommand } from "../command.js";
import { createOperatorApi, serverOptions } from "../operator-api.js";
import { renderTable } from "../table.js";
import { readReleaseId } from "./change-release.js";

/** `device-gateway firmware status` */
export const status = defineCommand({
  name: "firmware status",
  summary: "Shows a release, and how many devices are where with it.",
  operands: ["RELEASE"],
  options: serverOptions,
  async run(context, { operands: [id], values }) {
    const api = createOperatorApi(context, values);
    const params = { releaseId: readReleaseId(id) };
    const { release, counts } = (await api.call(routes.readRelease, { params })).body;
    const { haltedAt } = release;
    const rows = [
      ["version", release.version],
      ["target", release.targetHardware],
      ["status", haltedAt === null ? release.status : `${release.status}, halted ${haltedAt}`],
      ["share", `${release.rolloutPercent} % on ${release.rolloutChannel}`],
      ["signed", `${release.releasedAt}, ${release.signingKeyId} (${release.signatureAlgorithm})`],
      [
        "image",
        `${release.size.toLocaleString("en")} bytes, ${release.hasImage ? "stored" : "not here"}`,
      ],
      ["sha256", release.sha256],
      ...Object.entries(counts).map(([state, devices]) => [state, `${devices} devices`]),
    ];
    context.print(renderTable(rows));
    if (haltedAt === null) return;
    context.tell(
      `It failed on too many devices and was halted. When that is mended: device-gateway firmware resume ${id}`,
    );
  },
});

/** `device-gateway firmware explain` */
export const explain = defineCommand({
  name: "firmware explain",
  summary: "Says whether a device is offered a release, and every reason why not.",
  operands: ["RELEASE", "DEVICE"],
  options: serverOptions,
  async run(context, { operands: [id, deviceId], values }) {
    const api = createOperatorApi(context, values);
    const params = { releaseId: readReleaseId(id), deviceId };
    const { offered, reasons, update } = (await api.call(routes.explainOffer, { params })).body;
    context.print(offered ? `${deviceId} is offered it.` : `${deviceId} is not offered it:`);
    for (const { message, code, until } of reasons) {
      context.print(`  ${message} (${code}${until === undefined ? "" : `, until ${until}`})`);
    }
    if (update !== null) {
      context.print(
        `Its update: ${update.state} since ${update.updatedAt}, ${update.failures} failures.`,
      );
    }
  },
});
