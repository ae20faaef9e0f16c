import { parseArgs } from "node:util";
import {
  createGateway,
  silentLogger,
  type WebhookManager,
  WrongSecretsError,
} from "@device-gateway/core";
import type { SecurityEventKind, WebhookFilter } from "@device-gateway/core/store";
import { createWebhookManager } from "@device-gateway/webhooks";
import { explainWrongSecrets, openData } from "../data/open-data.js";
import type { Settings } from "../settings/settings.js";
import { describeMissingFile } from "./describe-missing-file.js";
import { done, failed, misused } from "./exit-codes.js";
import { parseTime } from "./parse-time.js";

const usage = `Usage: node examples/server/dist/main.js webhooks <action>
  list                          prints all endpoints
  add <url> [filters]           creates an endpoint and prints its secret, which is never shown again
  filter <id> [filters]         replaces the filters of an endpoint
  enable <id>, disable <id>     resumes or pauses an endpoint
  rotate <id>                   creates a new secret; the old one signs for one more day
  test <id>                     sends a test message
  history <id>                  prints the latest attempts, waiting messages and dead letters
  retry <id>                    sends the dead letters again
  replay <id> <time>            sends all events since a time again
  remove <id>                   deletes an endpoint with its history
Times are ISO 8601 with a time zone, such as 2026-01-31T00:00:00Z.
Filters: --kinds, --devices, --hardware, --owners, each with values separated by commas. Without filters: all events.`;

/** The name of this command in the audit trail. */
const actor = "command-line";

class Misused extends Error {}

const listOf = (text: string | undefined) =>
  text === undefined ? [] : text.split(",").map((each) => each.trim());

const text = { type: "string" } as const;
const options = { kinds: text, devices: text, hardware: text, owners: text };

function parse(args: readonly string[]) {
  const parsed = parseArgs({ args: [...args], options, allowPositionals: true });
  const { kinds, devices, hardware, owners } = parsed.values;
  const filter: WebhookFilter = {
    // The manager checks the kinds.
    kinds: listOf(kinds) as SecurityEventKind[],
    deviceIds: listOf(devices),
    targetHardware: listOf(hardware),
    ownerIds: listOf(owners),
  };
  return { words: parsed.positionals, filter };
}

type Answer = { readonly kind: string; readonly message?: string };

/** The sentence to print instead of the answer if the action did nothing. */
const failures: Readonly<Record<string, string>> = {
  unknown: "No webhook has this id. Run `webhooks list`.",
  disabled: "The webhook is disabled, so nothing was sent. Run `webhooks enable <id>` first.",
  full: "There are 20 webhooks already. Delete one with `webhooks remove <id>`.",
};

/** Returns why nothing was done and what to do next, or undefined. */
const findFailure = ({ kind, message }: Answer) => (kind === "invalid" ? message : failures[kind]);

/** Runs one action. Returns what to print, or null if there is no such action. */
async function act(
  manager: WebhookManager,
  [action, subject = "", time = ""]: readonly string[],
  filter: WebhookFilter,
): Promise<Answer | null> {
  const about = { id: subject, actor };
  const isKnown = async () => (await manager.list()).some(({ id }) => id === subject);
  switch (action) {
    case "list":
      return { kind: "listed", ...{ endpoints: await manager.list() } };
    case "add":
      return manager.create({ url: subject, filter, actor });
    case "filter":
      return manager.change({ ...about, filter });
    case "enable":
    case "disable":
      return manager.change({ ...about, enabled: action === "enable" });
    case "rotate":
      return manager.rotateSecret(about);
    case "test":
      return manager.test(about);
    case "history": {
      if (!(await isKnown())) return { kind: "unknown" };
      const page = { id: subject, limit: 500 };
      return {
        kind: "found",
        ...{
          attempts: await manager.attempts(page),
          waiting: await manager.messages({ ...page, state: "waiting" }),
          dead: await manager.messages({ ...page, state: "dead" }),
        },
      };
    }
    case "retry":
      if (!(await isKnown())) return { kind: "unknown" };
      return { kind: "retried", ...{ messages: await manager.retryDead(about) } };
    case "replay": {
      const from = parseTime(time);
      if (from === undefined)
        throw new Misused(`${time || "The time"} is not a time as described below.`);
      return manager.replay({ ...about, from });
    }
    case "remove":
      return manager.remove(about);
    default:
      return null;
  }
}

/**
 * Opens the database with the secrets.
 * @throws {StartError} if one of them cannot be used, or the database was first used with other secrets.
 */
async function openOwnData(settings: Settings) {
  const data = await openData(settings, silentLogger);
  try {
    const { store, secrets } = data;
    // Compares the secrets with the database.
    await createGateway({ store, secrets });
    return data;
  } catch (error) {
    await data.store.close();
    throw error instanceof WrongSecretsError ? explainWrongSecrets(settings, error) : error;
  }
}

/**
 * Manages webhooks in the database of the settings. Servers may be running. Prints JSON, or a sentence if nothing was
 * done. Returns the exit code.
 * @throws {StartError} if the database or its secrets cannot be used.
 */
export async function webhooks(
  settings: Settings,
  args: readonly string[],
  write: (line: string) => void,
): Promise<number> {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (error) {
    write(`${(error as Error).message}\n${usage}`);
    return misused;
  }
  if (parsed.words.length === 0) {
    write(usage);
    return misused;
  }
  const missingFile = describeMissingFile(settings, "secrets.json");
  if (missingFile !== undefined) {
    write(missingFile);
    return failed;
  }
  const { store, secrets } = await openOwnData(settings);
  try {
    const allowIntranet = settings.WEBHOOKS_INTRANET;
    const manager = createWebhookManager(store, { secrets, allowIntranet });
    const answer = await act(manager, parsed.words, parsed.filter);
    if (answer === null) {
      write(usage);
      return misused;
    }
    const failure = findFailure(answer);
    write(failure ?? JSON.stringify(answer, null, 2));
    return failure === undefined ? done : failed;
  } catch (error) {
    if (!(error instanceof Misused)) throw error;
    write(`${error.message}\n${usage}`);
    return misused;
  } finally {
    await store.close();
  }
}
