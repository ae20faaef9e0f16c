import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { loadMicroPython } from "@micropython/micropython-webassembly-pyscript";

/** A MicroPython with a small heap, and a device's flash outside of it. */
export interface MicroPython {
  /** The largest size of the heap so far, in bytes. */
  largestHeap(): number;
  /** Calls an async function of `ports.py`. */
  call(name: string, ...given: readonly (string | number)[]): Promise<string>;
  /** The content of the slot for firmware. */
  readonly slot: Buffer;
}

/** 160 KB, without the table of the garbage collector. */
export const heapLimit = 160 * 1024;
const source = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), "utf8");
const reasonOf = (fault: unknown) => String((fault as { cause?: unknown }).cause ?? fault);

/** Sends a request as the port of the device expects it: a fault is a value, and bytes come when they are asked for. */
async function exchange(method: string, url: string, headers: string, body: string | null) {
  try {
    const response = await fetch(url, {
      method,
      headers: JSON.parse(headers) as Record<string, string>,
      redirect: "manual",
      ...(body !== null && { body }),
    });
    const reader = response.body?.getReader();
    let rest: Uint8Array = new Uint8Array();
    return {
      fault: "",
      status: response.status,
      headers: JSON.stringify(Object.fromEntries(response.headers)),
      async read(count: number) {
        try {
          if (rest.length === 0) rest = (await reader?.read())?.value ?? rest;
        } catch (fault) {
          return { fault: reasonOf(fault), bytes: rest };
        }
        const bytes = rest.slice(0, count);
        rest = rest.subarray(count);
        return { fault: "", bytes };
      },
      close: async () => reader?.cancel().catch(() => {}),
    };
  } catch (fault) {
    return { fault: reasonOf(fault) };
  }
}

/** Starts MicroPython with a heap of 160 KB, and loads the client from its source. */
export async function startMicroPython(): Promise<MicroPython> {
  const flash = new Map<string, string>();
  let slot = Buffer.alloc(0);
  Object.assign(globalThis, {
    exchange,
    loadText: (key: string) => flash.get(key) ?? "",
    saveText: (key: string, text: string) => void flash.set(key, text),
    slotBegin(size: number) {
      slot = Buffer.alloc(size);
    },
    slotWrite: (offset: number, hex: string) => void slot.write(hex, offset, "hex"),
    slotRead: (offset: number, count: number) => slot.subarray(offset, offset + count),
  });
  const python = await loadMicroPython({ heapsize: heapLimit });
  python.FS.writeFile("/device_gateway.py", source("device_gateway.py"));
  python.FS.writeFile("/ports.py", source("test/ports.py"));
  python.runPython("import sys; sys.path.append('/')");
  // Each import returns, so that the garbage of compiling is collected before the next one.
  python.runPython("import gc, device_gateway; gc.collect()");
  python.runPython("import ports; gc.collect()");
  python.runPython("ports.measure()");
  return {
    largestHeap() {
      python.runPython("largest = ports.heap['largest']");
      return Number(python.globals.get("largest"));
    },
    async call(name, ...given) {
      python.globals.set("given", given);
      // In a task, because `wait_for` does not work outside of one.
      await python.runPythonAsync(
        `import asyncio\nresult = await asyncio.create_task(ports.${name}(*list(given)))`,
      );
      return String(python.globals.get("result"));
    },
    get slot() {
      return slot;
    },
  };
}
