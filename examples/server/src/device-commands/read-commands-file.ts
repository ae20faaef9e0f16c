import { readFile } from "node:fs/promises";
import type { CommandOptions } from "@device-gateway/core";
import { updateNow } from "@device-gateway/core/contract";
import type { CommandForm } from "@device-gateway/example-dashboard/site-answer";
import { z } from "zod";
import { StartError } from "../start-error.js";

const seconds = z.int().min(1).max(2_592_000);

/** What COMMANDS_FILE says about a command. The gateway checks its name. */
const Declaration = z.strictObject({
  title: z.string().min(1).max(128).optional(),
  description: z.string().min(1).max(512).optional(),
  sentBy: z.array(z.enum(["owner", "operator"])).min(1),
  /** JSON Schema of the payload. Without it, the command takes none. */
  payload: z
    .record(z.string(), z.unknown())
    .default({ type: "object", properties: {}, additionalProperties: false }),
  expiresAfterSeconds: seconds.optional(),
  answerWithinSeconds: seconds.optional(),
});
const Declarations = z.record(z.string().regex(/^[A-Za-z0-9._-]{1,64}$/), Declaration);

export interface DeclaredCommands {
  readonly commands: Readonly<Record<string, CommandOptions>>;
  /** The forms with which the page sends them. */
  readonly forms: readonly CommandForm[];
}

const fail = (file: string, why: string, cause?: unknown) =>
  new StartError(
    `COMMANDS_FILE cannot be used: ${file}: ${why.replace(/\.$/, "")}. The chapter about commands of examples/server/README.md shows a file.`,
    { cause },
  );

function toSchema(
  file: string,
  name: string,
  payload: Readonly<Record<string, unknown>>,
): z.ZodType {
  try {
    return z.fromJSONSchema(payload);
  } catch (error) {
    throw fail(file, `the payload of ${name} is not a JSON Schema: ${String(error)}`, error);
  }
}

/**
 * Reads the commands that users can send to devices (§11). Without a file, there are none.
 * @throws {StartError} if the file cannot be read or is not valid.
 */
export async function readCommandsFile(file: string | undefined): Promise<DeclaredCommands> {
  if (file === undefined) return { commands: {}, forms: [] };
  let parsed: unknown;
  try {
    parsed = JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    throw fail(file, (error as Error).message, error);
  }
  const read = Declarations.safeParse(parsed);
  if (!read.success) throw fail(file, z.prettifyError(read.error).replaceAll("\n", " "));
  if (Object.hasOwn(read.data, updateNow))
    throw fail(file, `${updateNow} is a command of the gateway itself. Remove it from the file`);
  const commands: Record<string, CommandOptions> = {};
  const forms: CommandForm[] = [];
  for (const [name, declared] of Object.entries(read.data)) {
    const { title, description, sentBy, payload, expiresAfterSeconds, answerWithinSeconds } =
      declared;
    commands[name] = {
      payload: toSchema(file, name, payload),
      sentBy,
      ...(expiresAfterSeconds !== undefined && { expiresAfterSeconds }),
      ...(answerWithinSeconds !== undefined && { answerWithinSeconds }),
    };
    forms.push({
      ...{ name, sentBy, payload },
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
    });
  }
  return { commands, forms };
}
