import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { signCustomer } from "../../../examples/server/src/testing/customer.js";
import { describeRelease, firmware } from "../releases.js";
import { hardwareId } from "./requests/identities.js";

const image = "firmware ".repeat(10_000);

/** Writes the public keys of releases to a data folder, for a server that is not started yet. */
export function writeReleaseKeys(folder: string): void {
  const keysFolder = join(folder, "firmware-keys");
  mkdirSync(keysFolder);
  for (const { id, publicKey } of firmware.keys) {
    writeFileSync(join(keysFolder, `${id}.public.pem`), publicKey);
  }
}

/** Publishes the first release of a server, with the id 1, for the hardware of the attackers. */
export async function plantRelease(url: string): Promise<void> {
  const token = await signCustomer("operator-1", { roles: ["operator"] });
  const send = async (method: string, path: string, type: string, body: string) => {
    const response = await fetch(`${url}/api/v1/operator/firmware/releases${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": type },
      body,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} got ${response.status}: ${text}`);
  };
  const release = JSON.stringify(describeRelease("9.0.0", hardwareId, image));
  await send("POST", "", "application/json", release);
  await send("PUT", "/1/image", "application/octet-stream", image);
  await send("PATCH", "/1", "application/json", JSON.stringify({ status: "active" }));
}
