import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeTempFolder } from "../testing/start-test-server.js";
import { readCommandsFile } from "./read-commands-file.js";

const read = async (content: string) => {
  const file = join(await makeTempFolder(), "commands.json");
  await writeFile(file, content);
  return readCommandsFile(file);
};

test("§11 a declared command has a schema that refuses other payloads, and a form", async () => {
  const { commands, forms } = await read(
    JSON.stringify({
      relay: {
        ...{ title: "Switch the relay", sentBy: ["owner"], expiresAfterSeconds: 60 },
        payload: {
          type: "object",
          properties: { on: { type: "boolean" }, minutes: { type: "integer", maximum: 60 } },
          required: ["on"],
          additionalProperties: false,
        },
      },
      reboot: { sentBy: ["operator"] },
    }),
  );
  const validate = (name: string, payload: unknown) =>
    commands[name]?.payload["~standard"].validate(payload);
  expect(validate("relay", { on: true, minutes: 5 })).toEqual({ value: { on: true, minutes: 5 } });
  expect(validate("relay", { on: true, minutes: 61 })).toHaveProperty("issues");
  expect(validate("relay", {})).toHaveProperty("issues");
  expect(validate("reboot", {})).toEqual({ value: {} });
  expect(validate("reboot", { when: "now" })).toHaveProperty("issues");
  expect(commands["relay"]).toMatchObject({ sentBy: ["owner"], expiresAfterSeconds: 60 });
  expect(forms.map(({ name, title }) => [name, title])).toEqual([
    ["relay", "Switch the relay"],
    ["reboot", undefined],
  ]);
});

test("a file that is not valid is refused with what is wrong", async () => {
  await expect(read("{")).rejects.toThrow(/COMMANDS_FILE cannot be used/);
  await expect(read('{"a b": {"sentBy": ["owner"]}}')).rejects.toThrow(/a b/);
  await expect(read('{"reboot": {"sentBy": ["anybody"]}}')).rejects.toThrow(/sentBy/);
  await expect(read('{"update-now": {"sentBy": ["owner"]}}')).rejects.toThrow(
    /COMMANDS_FILE cannot be used: .*: update-now is a command of the gateway itself\./,
  );
  await expect(readCommandsFile("/nowhere/commands.json")).rejects.toThrow(/ENOENT/);
  expect(await readCommandsFile(undefined)).toEqual({ commands: {}, forms: [] });
});
