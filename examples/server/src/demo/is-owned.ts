import { createUserClient } from "@device-gateway/device-client";
import { readFileIfAny } from "../private-file.js";
import { demoDevice } from "./demo-context.js";
import { demoTokenFile } from "./demo-customer.js";

/** Whether the demo gateway has an owner, as the demo's customer finds it; false where nobody can tell. */
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
