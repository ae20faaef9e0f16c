import { createUserClient } from "@device-gateway/device-client";
import { readFileIfAny } from "../data/private-file.js";
import { demoDevice } from "./demo-context.js";
import { demoTokenFile } from "./demo-customer.js";

/** Asks the server as the demo customer whether the demo gateway has an owner. Returns false if that is unknown. */
export async function isOwned(url: string, folder: string): Promise<boolean> {
  const token = (await readFileIfAny(demoTokenFile(folder)))?.trim();
  if (token === undefined) return false;
  const { deviceId } = demoDevice;
  const found = await createUserClient({ baseUrl: url, token }).inspectDevice({
    params: { deviceId },
  });
  return found.match(
    ({ device }) => device.ownerId !== null,
    () => false,
  );
}
