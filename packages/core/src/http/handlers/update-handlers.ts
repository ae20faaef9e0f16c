import { ok } from "neverthrow";
import { answerUpdateCommand } from "../../commands/answer-update-command.js";
import { commandUpdate, readUpdateCommand } from "../../commands/command-update.js";
import type { GatewayContext } from "../../context.js";
import type { updateRoutes } from "../../contract/firmware/update.js";
import { explainOffer } from "../../ota/offer/explain-offer.js";
import { readLatestFirmware } from "../../ota/offer/read-latest-firmware.js";
import { setOtaTarget } from "../../ota/offer/set-ota-target.js";
import { clearUpdateBlocks } from "../../ota/update/clear-update-blocks.js";
import { readOtaHistory } from "../../ota/update/read-ota-history.js";
import { reportUpdate } from "../../ota/update/report-update.js";
import type { HandlersOf } from "../call.js";

const accepted = ok({ status: 202, body: { status: "accepted" } } as const);

/** Creates the handlers of the update routes of devices, owners and operators. */
export const createUpdateHandlers = (
  context: GatewayContext,
): HandlersOf<keyof typeof updateRoutes> => ({
  readLatestFirmware: async ({ caller: device, query, origin }) => {
    const body = await readLatestFirmware(context, device, origin, query.currentVersion);
    return ok({ status: 200, body });
  },
  reportUpdate: async ({ caller: device, body, origin }) => {
    await reportUpdate(context, device, body, origin);
    return accepted;
  },
  answerUpdateCommand: async ({ caller: device, body }) => {
    await answerUpdateCommand(context, device, body);
    return accepted;
  },
  commandUpdate: async ({ caller, params, origin }) =>
    (await commandUpdate(context, caller, params.deviceId, origin)).map((requestId) => ({
      status: 202,
      body: { requestId },
    })),
  readUpdateCommand: async ({ caller, params }) =>
    (await readUpdateCommand(context, caller, params.deviceId)).map((command) => ({
      status: 200,
      body: { command },
    })),
  readOtaHistory: async ({ caller, params, query }) =>
    (await readOtaHistory(context, caller, params.deviceId, query)).map((page) => ({
      status: 200,
      body: page,
    })),
  setOtaTarget: async ({ caller: operator, params: { deviceId }, body, origin }) =>
    (await setOtaTarget(context, { deviceId, operator, origin }, body)).map((target) => ({
      status: 200,
      body: { deviceId, ...target },
    })),
  clearUpdateBlocks: async ({ caller: operator, params: { deviceId }, origin }) =>
    (await clearUpdateBlocks(context, { deviceId, operator, origin })).map(() => ({ status: 204 })),
  explainOffer: async ({ params }) =>
    (await explainOffer(context, params)).map((body) => ({ status: 200, body })),
});
