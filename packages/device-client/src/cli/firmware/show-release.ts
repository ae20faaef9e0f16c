import { describeReason } from "../../update/describe-reason.js";
import { defineCommand } from "../command.js";
import { formatCount } from "../format-count.js";
import { createOperatorApi, type OperatorApi, serverOptions } from "../operator-api.js";
import { renderTable } from "../table.js";
import { readReleaseId } from "./change-release.js";

/** `device-gateway firmware status` */
export const status = defineCommand({
  name: "firmware status",
  summary: "Shows a release and the number of devices in each update state.",
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
        `${release.size.toLocaleString("en")} bytes, ${release.hasImage ? "stored" : "not stored"}`,
      ],
      ["sha256", release.sha256],
      ...Object.entries(counts).map(([state, devices]) => [state, formatCount(devices, "device")]),
    ];
    context.print(renderTable(rows));
    if (haltedAt === null) return;
    context.log(
      `It failed on too many devices and was halted. When the cause is fixed, run: device-gateway firmware resume ${id}`,
    );
  },
});

const failures = new Set(["failed", "rejected", "rolled_back"]);

/** Returns the reason of the device's last refusal or failure of a release. */
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
  summary: "Shows whether a device is offered a release, with every reason if not.",
  operands: ["RELEASE", "DEVICE"],
  options: serverOptions,
  async run(context, { operands: [id, deviceId], values }) {
    const api = createOperatorApi(context, values);
    const params = { releaseId: readReleaseId(id), deviceId };
    const messages = { device_not_found: `There is no device "${deviceId}". Check its id.` };
    const { offered, reasons, update } = (await api.call("explainOffer", { params }, messages))
      .body;
    context.print(
      offered ? `${deviceId} is offered the release.` : `${deviceId} is not offered the release:`,
    );
    for (const { message, code, until } of reasons) {
      context.print(`  ${message} (${code}${until === undefined ? "" : `, until ${until}`})`);
    }
    if (update === null) return;
    const { state, updatedAt } = update;
    context.print(
      `Its update: ${state} since ${updatedAt}, ${formatCount(update.failures, "failure")}.`,
    );
    const failure = update.failures > 0 ? await readFailure(api, params) : undefined;
    if (failure !== undefined) context.print(`Its last failure: ${failure}.`);
  },
});
