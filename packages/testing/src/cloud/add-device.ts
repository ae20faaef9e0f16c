import type { RegisterAnswer } from "@device-gateway/core/contract";
import type { CloudUsers } from "./cloud-users.js";
import type { CloudDevice, DeviceOptions } from "./test-cloud.js";

let added = 0;

/** Registers a device through the API and claims it for `owner` if one is given. */
export async function addDevice(
  fetch: (request: Request) => Promise<Response>,
  baseUrl: string,
  users: CloudUsers,
  plan: DeviceOptions,
): Promise<CloudDevice> {
  added += 1;
  const {
    deviceId = `device-${added}`,
    claimCode = "ABCD-EFGH",
    hardwareId = "esp32:devkit-v1",
    firmwareVersion = "1.0.0",
    owner,
  } = plan;
  const post = async (path: string, body: unknown, headers = {}): Promise<unknown> => {
    const type = { "content-type": "application/json" };
    const request = {
      method: "POST",
      body: JSON.stringify(body),
      headers: { ...type, ...headers },
    };
    const response = await fetch(new Request(`${baseUrl}/api/v1${path}`, request));
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`POST ${path} failed: ${JSON.stringify(answer)}`);
    return answer;
  };
  const identity = { deviceId, hardwareId, firmwareVersion, claimCode };
  const registered = await post("/device/register", identity);
  const { deviceSecret, token } = registered as RegisterAnswer;
  if (owner !== undefined) {
    const authorization = `Bearer ${users.signIn(owner)}`;
    await post("/user/devices/claim", { deviceId, claimCode }, { authorization });
  }
  return { deviceId, claimCode, deviceSecret, token };
}
