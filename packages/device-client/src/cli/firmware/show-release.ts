import { describeReason } from "../../update/describe-reason.js";
import { defineCommand } from "../command.js";
import { counted } from "../counted.js";
import { createOperatorApi, type OperatorApi, serverOptions } from "../operator-api.js";
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
    const { release, counts } = (await api.call("readRelease", { params })).body;
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
      ...Object.entries(counts).map(([state, devices]) => [state, counted(devices, "device")]),
    ];
    context.print(renderTable(rows));
    if (haltedAt === null) return;
    context.tell(
      `It failed on too many devices and was halted. When that is mended: device-gateway firmware resume ${id}`,
    );
  },
});

const failures = new Set(["failed", "rejected", "rolled_back"]);

/** What a device said when it last refused a release, or failed with it. */
async function readFailure(
  api: OperatorApi,
  { releaseId, deviceId }: { readonly releaseId: string; readonly deviceId: string },
): Promise<string | undefined> {
  const { release } = (await api.call("readRelease", { params: { releaseId } })).body;
  const request = { params: { deviceId }, query: { limit: "100" } };
  const { events } = (await api.call("readOtaHistory", request)).body;
  const event = events.find(
    ({ state, offeredVersion }) => failures.has(state) && offeredVersion === release.version,
  );
  if (event === undefined) return undefined;
  const { state, lastResult, message } = event;
  return describeReason({
    code: lastResult === state ? undefined : lastResult,
    message: message ?? undefined,
  });
}

/** `device-gateway firmware explain` */
export const explain = defineCommand({
  name: "firmware explain",
  summary: "Says whether a device is offered a release, and every reason why not.",
  operands: ["RELEASE", "DEVICE"],
  options: serverOptions,
  async run(context, { operands: [id, deviceId], values }) {
    const api = createOperatorApi(context, values);
    const params = { releaseId: readReleaseId(id), deviceId };
    const words = { device_not_found: `There is no device "${deviceId}". Check its id.` };
    const { offered, reasons, update } = (await api.call("explainOffer", { params }, words)).body;
    context.print(offered ? `${deviceId} is offered it.` : `${deviceId} is not offered it:`);
    for (const { message, code, until } of reasons) {
      context.print(`  ${message} (${code}${until === undefined ? "" : `, until ${until}`})`);
    }
    if (update === null) return;
    const { state, updatedAt } = update;
    context.print(
      `Its update: ${state} since ${updatedAt}, ${counted(update.failures, "failure")}.`,
    );
    const failure = update.failures > 0 ? await readFailure(api, params) : undefined;
    if (failure !== undefined) context.print(`Its last failure: ${failure}.`);
  },
});
