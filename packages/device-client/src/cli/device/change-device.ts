import { type CliContext, type Command, defineCommand, type Values } from "../command.js";
import { createOperatorApi, serverOptions } from "../operator-api.js";

type ServerValues = Values<typeof serverOptions>;

const messagesFor = (deviceId: string) => ({
  device_not_found: `There is no device "${deviceId}". Check its id.`,
});

async function setTarget(
  context: CliContext,
  deviceId: string,
  body: {
    readonly otaChannel?: string;
    readonly pinnedVersion?: string | null;
    readonly benchMode?: boolean;
  },
  values: ServerValues,
) {
  const api = createOperatorApi(context, values);
  const request = { params: { deviceId }, body };
  const answer = await api.call("setOtaTarget", request, messagesFor(deviceId));
  const { otaChannel, pinnedVersion, benchMode } = answer.body;
  const pin = pinnedVersion === null ? "not pinned" : `pinned to ${pinnedVersion}`;
  context.print(
    `${deviceId}: channel ${otaChannel}, ${pin}${benchMode ? ", on the test bench" : ""}.`,
  );
}

const defineTargetCommand = <const P extends readonly ["DEVICE", ...string[]]>(
  name: string,
  summary: string,
  operands: P,
  toBody: (value: string) => Parameters<typeof setTarget>[2],
): Command =>
  defineCommand({
    name: `device ${name}`,
    summary,
    operands,
    options: serverOptions,
    run: (context, { operands: given, values }) => {
      const [deviceId = "", value = ""] = given as readonly string[];
      return setTarget(context, deviceId, toBody(value), values);
    },
  });

const defineActionCommand = (
  name: string,
  summary: string,
  route: "revokeDevice" | "reinstateDevice" | "clearUpdateBlocks",
  done: string,
): Command =>
  defineCommand({
    name: `device ${name}`,
    summary,
    operands: ["DEVICE"],
    options: serverOptions,
    async run(context, { operands: [deviceId], values }) {
      const api = createOperatorApi(context, values);
      await api.call(route, { params: { deviceId } }, messagesFor(deviceId));
      context.print(`${deviceId}: ${done}`);
    },
  });

/** The commands `device-gateway device …`, in the order of the help. */
export const deviceCommands: readonly Command[] = [
  defineTargetCommand(
    "channel",
    "Sets the release channel of a device.",
    ["DEVICE", "CHANNEL"],
    (otaChannel) => ({ otaChannel }),
  ),
  defineTargetCommand(
    "pin",
    "Offers a device one version only.",
    ["DEVICE", "X.Y.Z"],
    (pinnedVersion) => ({ pinnedVersion }),
  ),
  defineTargetCommand("unpin", "Removes the pin of a device.", ["DEVICE"], () => ({
    pinnedVersion: null,
  })),
  defineTargetCommand(
    "bench",
    "Marks a device as a bench device: its failed updates block and halt nothing.",
    ["DEVICE"],
    () => ({ benchMode: true }),
  ),
  defineTargetCommand("unbench", "Ends the bench mode of a device.", ["DEVICE"], () => ({
    benchMode: false,
  })),
  defineActionCommand(
    "clear-block",
    "Clears a device's blocks: releases whose update failed are offered again.",
    "clearUpdateBlocks",
    "no release is blocked.",
  ),
  defineActionCommand(
    "revoke",
    "Rejects all tokens, secrets and codes of a device.",
    "revokeDevice",
    "revoked.",
  ),
  defineActionCommand(
    "reinstate",
    "Ends the revocation of a device.",
    "reinstateDevice",
    "reinstated. It can log in with its secret again.",
  ),
];
