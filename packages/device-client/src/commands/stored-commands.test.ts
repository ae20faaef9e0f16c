import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestCloud } from "@device-gateway/testing/cloud";
import { expect, onTestFinished, test } from "vitest";
import { bundleProgram } from "../../../../scripts/bundle-programs.js";
import { type BufferStorage, createMemoryBuffer } from "../buffer/buffer-storage.js";
import { createFileBuffer } from "../node/file-buffer.js";
import {
  declared,
  deviceId,
  openCommandsWorld as start,
  statuses,
} from "../testing/commands-world.js";
import { makeTempFolder } from "../testing/temp-folder.js";

test("§11 a command whose delivery or report is lost runs once, also after a restart", async () => {
  const { cloud, boot, blinks, statesOf } = await start();
  const id = await cloud.sendCommand(deviceId, "blink");
  cloud.fail("fetchCommands", { kind: "lost_answer" }, { times: 2 });
  expect((await boot().poll())._unsafeUnwrapErr().code).toBe("network");
  expect(await statesOf(id)).toEqual(["delivered"]);
  cloud.fail("reportCommand", { kind: "unreachable" }, { times: 2 });
  expect((await boot().poll())._unsafeUnwrapErr().code).toBe("network");
  expect([blinks, await statesOf(id)]).toEqual([[1], ["delivered"]]);
  cloud.fail("reportCommand", { kind: "lost_answer" }, { times: 1 });
  expect(statuses((await boot().poll())._unsafeUnwrap())).toEqual(["done"]);
  expect([blinks, await statesOf(id)]).toEqual([[1], ["done"]]);
});

test("§11 a command that is killed before it runs is reported as unknown, and never runs", async () => {
  const cloud = await createTestCloud({ gateway: { commands: declared }, realTime: true });
  onTestFinished(() => cloud.close());
  const url = await cloud.listen();
  const folder = await mkdtemp(join(tmpdir(), "commands-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const program = await bundleProgram("packages/device-client/src/testing/command-script.ts");
  const run = async (mode = "") => {
    const child = spawn(process.execPath, [program, url, folder, mode], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.on("data", (piece) => {
      output += String(piece);
    });
    const [, signal] = (await once(child, "close")) as [number | null, string | null];
    return { signal, output };
  };
  expect((await run()).output).toBe("[]");
  const killed = await cloud.sendCommand(deviceId, "blink");
  expect((await run("kill")).signal).toBe("SIGKILL");
  expect((await cloud.readCommand(deviceId, killed)).state).toBe("delivered");

  expect((await run()).output).toBe('["unknown"]');
  expect((await cloud.readCommand(deviceId, killed)).answer?.message).toContain("restarted");
  await cloud.sendCommand(deviceId, "blink");
  expect((await run()).output).toBe('["done"]');
  expect(await readFile(join(folder, "blinks"), "utf8")).toBe("blink\n");
});

test("a device whose storage fails runs nothing", async () => {
  const { cloud, boot, blinks, statesOf } = await start();
  const storage = { ...createMemoryBuffer(), append: () => Promise.reject(new Error("worn out")) };
  const id = await cloud.sendCommand(deviceId, "blink");
  const error = (await boot({ storage }).poll())._unsafeUnwrapErr();
  expect(error).toEqual({ code: "storage", message: "The storage of commands failed: worn out" });
  expect([blinks, await statesOf(id)]).toEqual([[], ["delivered"]]);
});

test("§11 a command whose id was stored incompletely runs once, also if the device dies while it runs", async () => {
  const { cloud, boot, blinks, statesOf } = await start();
  const path = join(await makeTempFolder(), "commands");
  const file = createFileBuffer(path);
  let isFull = true;
  const storage: BufferStorage = {
    ...file,
    async append(lines) {
      if (!isFull) return file.append(lines);
      isFull = false;
      await appendFile(path, lines.join("\n").slice(0, 5));
      throw new Error("no space left");
    },
  };
  const id = await cloud.sendCommand(deviceId, "blink");
  let begun = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const commands = boot({
    storage,
    handlers: {
      blink({ times }) {
        blinks.push(times);
        begun();
        // The device dies here.
        return new Promise(() => {});
      },
      restart: () => {},
    },
  });
  expect((await commands.poll())._unsafeUnwrapErr().code).toBe("storage");
  expect(blinks).toEqual([]);
  // A poll that ends without the handler fails the test below.
  void commands.poll().match(begun, begun);
  await hasBegun;
  expect(statuses((await boot({ storage: file }).poll())._unsafeUnwrap())).toEqual(["unknown"]);
  expect([blinks, await statesOf(id)]).toEqual([[1], ["unknown"]]);
});

test("§11 a command whose answer could not be stored is reported as unknown by the next poll", async () => {
  const { cloud, boot, blinks, statesOf } = await start();
  const memory = createMemoryBuffer();
  let faults = 1;
  const storage: BufferStorage = {
    ...memory,
    async append(lines) {
      if (lines[0]?.startsWith("a ") && faults-- > 0) throw new Error("no space left");
      await memory.append(lines);
    },
  };
  const commands = boot({ storage });
  const id = await cloud.sendCommand(deviceId, "blink");
  expect((await commands.poll())._unsafeUnwrapErr().code).toBe("storage");
  const ran = (await commands.poll())._unsafeUnwrap();
  expect(statuses(ran)).toEqual(["unknown"]);
  expect(ran[0]?.answer.message).toContain("storage failed");
  expect([blinks, await statesOf(id)]).toEqual([[1], ["unknown"]]);
});
