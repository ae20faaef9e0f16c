import { cancelCommand } from "../../commands/cancel-command.js";
import { fetchCommands } from "../../commands/fetch-commands.js";
import { listCommands, readCommand } from "../../commands/read-commands.js";
import { reportCommand } from "../../commands/report-command.js";
import { sendCommand } from "../../commands/send-command.js";
import type { GatewayContext } from "../../context.js";
import type { commandRoutes } from "../../contract/command.js";
import type { HandlersOf } from "../call.js";

/** Creates the handlers of the commands to devices. */
export const createCommandHandlers = (
  context: GatewayContext,
): HandlersOf<keyof typeof commandRoutes> => ({
  fetchCommands: async ({ caller: device, query, deadline }) =>
    (await fetchCommands(context, device, query, deadline)).map((body) => ({ status: 200, body })),
  reportCommand: async ({ caller: device, params, body }) =>
    (await reportCommand(context, device, params.commandId, body)).map(() => ({
      status: 202,
      body: { status: "accepted" },
    })),
  sendCommand: async ({ caller: user, params: { deviceId }, body: request, headers, origin }) => {
    const key = headers["idempotency-key"];
    const sent = await sendCommand(context, { deviceId, request, key, user, origin });
    return sent.map(({ isNew, command }) => ({ status: isNew ? 201 : 200, body: { command } }));
  },
  listCommands: async ({ caller, params, query }) =>
    (await listCommands(context, caller, params.deviceId, query)).map((page) => ({
      status: 200,
      body: page,
    })),
  readCommand: async ({ caller, params }) =>
    (await readCommand(context, caller, params)).map((command) => ({
      status: 200,
      body: { command },
    })),
  cancelCommand: async ({ caller: user, params, origin }) =>
    (await cancelCommand(context, { ...params, user, origin })).map((command) => ({
      status: 200,
      body: { command },
    })),
});
