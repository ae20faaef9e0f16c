import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { BufferStorage } from "../buffer/buffer-storage.js";
import { createCommands } from "../commands/create-commands.js";
import { createDevice } from "../device/device.js";
import { createFileBuffer } from "../node/file-buffer.js";
import { createFileCredentials } from "../node/file-credentials.js";

/**
 * A device that polls for commands once and prints what it answered. With `kill`, it kills itself (SIGKILL) when it has
 * stored a command's id, before it runs the command.
 */
const [baseUrl = "", folder = "", mode = ""] = process.argv.slice(2);

const device = createDevice({
  baseUrl,
  identity: {
    ...{ deviceId: "gw-1", hardwareId: "esp32", firmwareVersion: "1.0.0", claimCode: "ABCD-EFGH" },
  },
  credentials: createFileCredentials(join(folder, "credentials.json")),
});
const file = createFileBuffer(join(folder, "commands"));
const storage: BufferStorage = {
  ...file,
  async append(lines) {
    await file.append(lines);
    if (mode === "kill" && lines.some((line) => line.startsWith("b "))) {
      process.kill(process.pid, "SIGKILL");
    }
  },
};
const commands = createCommands<{ blink: object }>({
  device,
  storage,
  handlers: { blink: () => appendFileSync(join(folder, "blinks"), "blink\n") },
});
const polled = await commands.poll();
process.stdout.write(
  JSON.stringify(polled.isOk() ? polled.value.map(({ answer }) => answer.status) : polled.error),
);
