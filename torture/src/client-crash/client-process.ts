/**
 * A device that keeps its records in files. It records as fast as it can and prints each reading that it
 * has kept, until it is killed. In mode `drain` it sends what is left and exits.
 */
import { createDevice, createMemoryBuffer } from "@device-gateway/device-client";
import { createFileBuffer, createFileCredentials } from "@device-gateway/device-client/node";

const [folder = "", port = "", start = "", mode = ""] = process.argv.slice(2);
const device = createDevice({
  baseUrl: `http://127.0.0.1:${port}`,
  identity: {
    deviceId: "gw-1",
    hardwareId: "esp32",
    firmwareVersion: "1.0.0",
    claimCode: "ABCD-EFGH",
  },
  credentials: createFileCredentials(`${folder}/credentials.json`),
  // The planted bug: kept readings are only in memory.
  buffer: mode === "forgetful" ? createMemoryBuffer() : createFileBuffer(`${folder}/buffer`),
  bufferLimits: { maxRecords: 1_000_000, maxBytes: 1_000_000_000 },
  retry: { baseMs: 20, maxMs: 200 },
});

async function flush(): Promise<void> {
  const flushed = await device.flush();
  if (flushed.isErr() && flushed.error.code !== "network") {
    process.stderr.write(`${flushed.error.code}: ${flushed.error.message}\n`);
  }
}

async function flushForever(): Promise<never> {
  for (;;) {
    await flush();
    await new Promise((resolve) => void setTimeout(resolve, 5));
  }
}

process.stdout.write("ready\n");
if (mode === "drain") {
  do await flush();
  while (device.waiting > 0);
  process.stdout.write("drained\n");
} else {
  void flushForever();
  for (let n = 0; ; n++) {
    const reading = `${start}-${n}`;
    const kept = await device.record({ reading, temperature: n % 40 });
    if (kept.isOk()) process.stdout.write(`${reading}\n`);
  }
}
