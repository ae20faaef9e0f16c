import type { UserClient } from "../../user/user-client.js";
import { defineCommand } from "../command.js";
import { serverOptions, toCliError } from "../operator-api.js";
import { createFleetOperator, eraseGateways } from "./erase-gateways.js";
import { fleetOptions } from "./simulate-options.js";
import { simulatedHardware } from "./virtual-gateway.js";

/** Returns the ids of the simulated gateways whose id begins with the prefix and a hyphen. */
async function findGateways(operator: UserClient, prefix: string): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await operator.listAllDevices({ query: { limit: "500", cursor } });
    if (page.isErr()) throw toCliError(page.error);
    for (const { id, hardwareId } of page.value.devices)
      if (hardwareId === simulatedHardware && id.startsWith(`${prefix}-`)) found.push(id);
    cursor = page.value.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}

/** `device-gateway simulate clean-up`: erases the gateways of earlier runs. */
export const cleanUp = defineCommand({
  name: "simulate clean-up",
  summary: "Erases the virtual gateways of earlier runs with their data.",
  operands: [],
  options: { ...fleetOptions, token: serverOptions.token },
  notes: `It erases only devices with the hardware id ${simulatedHardware} whose id begins with the prefix and a hyphen.`,
  async run(context, { values }) {
    const operator = createFleetOperator(context, values);
    await eraseGateways(context, operator, await findGateways(operator, values.prefix));
  },
});
