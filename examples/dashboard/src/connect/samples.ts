/** The values that a sample is filled with. */
export interface Identity {
  /** The server's URL. */
  readonly origin: string;
  readonly deviceId: string;
  readonly hardwareId: string;
  readonly claimCode: string;
}

export const languages = ["curl", "TypeScript", "MicroPython", "C"] as const;
export type Language = (typeof languages)[number];

const json = (value: unknown) => JSON.stringify(value);
const shell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const curl = ({ origin, deviceId, hardwareId, claimCode }: Identity) => {
  const body = json({ deviceId, hardwareId, firmwareVersion: "1.0.0", claimCode });
  return `# Registers once. Keep deviceSecret of the response: it is returned only now.
curl -s ${shell(`${origin}/api/v1/device/register`)} \\
  -H 'content-type: application/json' \\
  -d ${shell(body)}

# Sends a record with the token of the response.
curl -s ${shell(`${origin}/api/v1/telemetry`)} \\
  -H 'content-type: application/json' -H "authorization: Bearer $TOKEN" \\
  -d '{"voltage": 26.53, "charging": true}'`;
};

const typeScript = ({ origin, deviceId, hardwareId, claimCode }: Identity) =>
  `import { createDevice } from "@device-gateway/device-client";
import { createFileBuffer, createFileCredentials } from "@device-gateway/device-client/node";

const device = createDevice({
  baseUrl: ${json(origin)},
  identity: ${json({ deviceId, hardwareId, firmwareVersion: "1.0.0", claimCode })},
  credentials: createFileCredentials("gateway.json"),
  buffer: createFileBuffer("gateway.journal"),
});

await device.record({ voltage: 26.53, charging: true });
const sent = await device.flush();
if (sent.isErr()) console.log(sent.error.message);`;

const microPython = ({ origin, deviceId, hardwareId, claimCode }: Identity) =>
  `import json, requests

URL = ${json(origin)} + "/api/v1"
try:  # the secret is stored once, at the first start
    with open("secret.json") as file:
        identity = json.load(file)
    answer = requests.post(URL + "/device/login", json=identity)
except OSError:
    answer = requests.post(URL + "/device/register", json=${json({
      ...{ deviceId, hardwareId, firmwareVersion: "1.0.0", claimCode },
    })})
    with open("secret.json", "w") as file:
        json.dump({"deviceId": ${json(deviceId)},
                   "deviceSecret": answer.json()["deviceSecret"]}, file)

headers = {"authorization": "Bearer " + answer.json()["token"]}
sent = requests.post(URL + "/telemetry", json={"voltage": 26.53, "charging": True}, headers=headers)
print(sent.json())  # "rejected" says what the server refused, and why`;

const c = ({ origin, deviceId, hardwareId, claimCode }: Identity) =>
  `#include "dg_client.h" /* the folder sdk/c of the repository */

static dg_client client;
const dg_options options = {
    .base_url = ${json(origin)},
    .identity = {.device_id = ${json(deviceId)},
                 .hardware_id = ${json(hardwareId)},
                 .firmware_version = "1.0.0",
                 .claim_code = ${json(claimCode)}},
    .ports = {&http, &storage, &clock, &crypto},
};
if (dg_client_open(&client, &options) != DG_OK) log(client.error.message);

dg_text record;
dg_record_begin(&client, &record, 0);
dg_json_decimal(&record, "voltage", 2653, 2); /* 26.53 */
dg_json_bool(&record, "charging", true);
dg_record_end(&client, &record);

dg_flush_report report; /* once per interval */
if (dg_flush(&client, &report) != DG_OK) log(client.error.message);`;

const samples: Readonly<Record<Language, (identity: Identity) => string>> = {
  ...{ curl, C: c },
  TypeScript: typeScript,
  MicroPython: microPython,
};

/** Returns a program that registers the device and sends a record. */
export const sampleOf = (language: Language, identity: Identity): string =>
  samples[language](identity);
