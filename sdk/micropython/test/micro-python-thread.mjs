/**
 * Runs one MicroPython with a small heap, and a device's flash outside of it. Its build keeps its state in `globalThis`, so
 * two of them in one thread would overwrite each other's objects.
 */
import { readFileSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { loadMicroPython } from "@micropython/micropython-webassembly-pyscript";

const source = (name) => readFileSync(new URL(`../${name}`, import.meta.url), "utf8");
const reasonOf = (fault) => String(fault.cause ?? fault);

/** Sends a request as the port of the device expects it: a fault is a value, and bytes come when they are asked for. */
async function exchange(method, url, headers, body) {
  try {
    const response = await fetch(url, {
      method,
      headers: JSON.parse(headers),
      redirect: "manual",
      ...(body !== null && { body }),
    });
    const reader = response.body?.getReader();
    let rest = new Uint8Array();
    return {
      fault: "",
      status: response.status,
      headers: JSON.stringify(Object.fromEntries(response.headers)),
      async read(count) {
        try {
          if (rest.length === 0) rest = (await reader?.read())?.value ?? rest;
        } catch (fault) {
          return { fault: reasonOf(fault) };
        }
        const piece = Buffer.from(rest.subarray(0, count));
        rest = rest.subarray(count);
        return { fault: "", hex: piece.toString("hex") };
      },
      close: async () => reader?.cancel().catch(() => {}),
    };
  } catch (fault) {
    return { fault: reasonOf(fault) };
  }
}

const flash = new Map();
let slot = Buffer.alloc(0);
Object.assign(globalThis, {
  exchange,
  loadText: (key) => flash.get(key) ?? "",
  saveText: (key, text) => void flash.set(key, text),
  slotBegin(size) {
    slot = Buffer.alloc(size);
  },
  slotWrite: (offset, hex) => void slot.write(hex, offset, "hex"),
  slotRead: (offset, count) => slot.toString("hex", offset, offset + count),
});
const python = await loadMicroPython({ heapsize: workerData.heapLimit });
python.FS.writeFile("/device_gateway.py", source("device_gateway.py"));
python.FS.writeFile("/ports.py", source("test/ports.py"));
python.runPython("import sys; sys.path.append('/')");
// Each import returns, so that the garbage of compiling is collected before the next one.
python.runPython("import gc, device_gateway; gc.collect()");
python.runPython("import ports; gc.collect()");
python.runPython("ports.measure()");

async function call(name, given) {
  python.globals.set("given", given);
  // In a task, because `wait_for` does not work outside of one.
  await python.runPythonAsync(
    `import asyncio\nresult = await asyncio.create_task(ports.${name}(*list(given)))`,
  );
  python.runPython("largest = ports.heap['largest']");
  return {
    result: String(python.globals.get("result")),
    largestHeap: Number(python.globals.get("largest")),
    slot,
  };
}

parentPort.on("message", ({ name, given }) => {
  call(name, given).then(
    (answer) => parentPort.postMessage(answer),
    (error) => parentPort.postMessage({ error: String(error) }),
  );
});
