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

/** JSON text is also a literal in TypeScript, Python and C. */
const json = (value: unknown) => JSON.stringify(value);
const shell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const curl = ({ origin, deviceId, hardwareId, claimCode }: Identity) => {
  const body = json({ deviceId, hardwareId, firmwareVersion: "1.0.0", claimCode });
  return `# Registers once. Keep gateway.json: deviceSecret is returned only now.
curl -s ${shell(`${origin}/api/v1/device/register`)} \\
  -H 'content-type: application/json' \\
  -d ${shell(body)} > gateway.json

# Sends a record with the token of the response.
TOKEN=$(sed 's/.*"token":"\\([^"]*\\)".*/\\1/' gateway.json)
curl -s ${shell(`${origin}/api/v1/telemetry`)} \\
  -H 'content-type: application/json' -H "authorization: Bearer $TOKEN" \\
  -d '{"voltage": 26.53, "charging": true}'
`;
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
console.log(sent.isOk() ? sent.value : sent.error.message);
`;

const microPython = ({ origin, deviceId, hardwareId, claimCode }: Identity) => {
  const isSecure = origin.startsWith("https:");
  const imports = isSecure ? "import asyncio, ssl" : "import asyncio";
  const names = `Device, DeviceError, FileStorage${isSecure ? ", SocketHttp" : ""}`;
  const context = `
context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
context.verify_mode = ssl.CERT_REQUIRED
context.load_verify_locations(cafile="ca.pem")  # the authority of the server's certificate
`;
  const http = isSecure ? ", http=SocketHttp(ssl=context)" : "";
  return `${imports}
from device_gateway import ${names}  # sdk/micropython in the repository
${isSecure ? context : ""}
device = Device(
    ${json(origin)}, ${json(deviceId)}, ${json(claimCode)},
    ${json(hardwareId)}, "1.0.0", FileStorage("gateway")${http})

async def main():
    device.record({"voltage": 26.53, "charging": True})
    try:
        print(await device.flush())
    except DeviceError as error:
        print(error.code, error)

asyncio.run(main())
`;
};

const c = ({ origin, deviceId, hardwareId, claimCode }: Identity) =>
  `/* With the folder sdk/c of the repository, on Linux:
   cc -Isdk/c/include -Isdk/c/src -Isdk/c/host gateway.c sdk/c/src/*.c sdk/c/host/*.c \\
     -lcurl -lmbedcrypto -lsodium -o gateway && mkdir -p state && ./gateway */
#include <stdio.h>
#include "dg_client.h"
#include "dg_host.h" /* the ports for Linux; a firmware has its own */

static dg_client client;

static int fail(void) {
  printf("%s\\n", client.error.message);
  return 1;
}

int main(void) {
  dg_host_http host_http = {0};
  dg_host_storage host_storage;
  dg_host_crypto host_crypto;
  dg_http_port http;
  dg_storage_port storage;
  dg_clock_port clock;
  dg_crypto_port crypto;
  dg_host_storage_open(&host_storage, "state", &storage);
  dg_host_clock_open(&clock);
  if (!dg_host_http_open(&host_http, &http) || !dg_host_crypto_open(&host_crypto, &crypto)) return 2;

  const dg_options options = {
      .base_url = ${json(origin)},
      .identity = {.device_id = ${json(deviceId)},
                   .hardware_id = ${json(hardwareId)},
                   .firmware_version = "1.0.0",
                   .claim_code = ${json(claimCode)}},
      .ports = {&http, &storage, &clock, &crypto},
  };
  if (dg_client_open(&client, &options) != DG_OK) return fail();

  dg_text record;
  dg_record_begin(&client, &record, 0);
  dg_json_decimal(&record, "voltage", 2653, 2); /* 26.53 */
  dg_json_bool(&record, "charging", true);
  if (dg_record_end(&client, &record) != DG_OK) return fail();

  dg_flush_report report; /* once per interval */
  if (dg_flush(&client, &report) != DG_OK) return fail();
  printf("Sent %lld readings.\\n", (long long)report.accepted);
  dg_host_crypto_close(&host_crypto);
  dg_host_http_close(&host_http);
  return 0;
}
`;

const samples: Readonly<Record<Language, (identity: Identity) => string>> = {
  ...{ curl, C: c },
  TypeScript: typeScript,
  MicroPython: microPython,
};

/** Returns a whole program that registers the device and sends a record. */
export const sampleOf = (language: Language, identity: Identity): string =>
  samples[language](identity);
