import { type CommandStore, updateNow } from "@device-gateway/core/store";
import fc from "fast-check";
import {
  at,
  deviceIds,
  eventOf,
  freeText,
  hourMs,
  json,
  limits,
  minuteMs,
  ownerOrOperator,
  owners,
  part,
} from "./pools.js";
import { drafted, type RecipesOf, type Side } from "./recipe.js";
import { otaEvents } from "./update-recipes.js";

const keys = fc.constantFrom(null, "key-1", "key-2");
/** The relative place of a command among those of its device. Above 1: an unknown one. */
const places = fc.oneof(part, fc.constant(2));

const commandAt = (deviceId: string, place: number, { state }: Side): string => {
  const all = state.commands.get(deviceId) ?? [];
  return (place > 1 ? undefined : at(all, place)?.commandId) ?? "unknown";
};

const ofCommand = fc.record({ deviceId: deviceIds, place: places });

export const commandRecipes: RecipesOf<CommandStore> = {
  send: {
    drafts: drafted(
      fc.record({
        deviceId: deviceIds,
        ownerId: ownerOrOperator,
        sentBy: owners,
        key: keys,
        name: fc.constantFrom("reboot", "reboot", updateNow),
        payload: json,
        // Whole numbers make the ids of simultaneous calls differ.
        id: fc.integer({ min: 1, max: 1_000_000 }),
        maxOpen: fc.constantFrom(2, 20),
        keepEnded: fc.constantFrom(1, 100),
        lifetime: fc.constantFrom(minuteMs, hourMs),
      }),
      ({ deviceId, ownerId, maxOpen, keepEnded, lifetime, id, ...given }, side) => {
        const expiresAt = side.now + lifetime;
        const command = {
          ...{ commandId: `${side.now}-${id}`, deviceId, ...given },
          ...{ sentAt: side.now, expiresAt, answerWithinMs: minuteMs, state: "pending" as const },
          ...{ deliveredAt: null, dueAt: expiresAt, endedAt: null, answer: null, answeredAt: null },
        };
        const event = eventOf(side, deviceId, "device.command_sent");
        return { command, ownerId, maxOpen, keepEnded, event };
      },
    ),
  },
  take: {
    drafts: drafted(
      fc.record({ deviceId: deviceIds, after: fc.option(places), limit: limits }),
      ({ deviceId, after, limit }, side) => ({
        ...{ deviceId, limit, now: side.now },
        after: after === null ? null : commandAt(deviceId, after, side),
      }),
    ),
  },
  answer: {
    drafts: drafted(
      fc.record({
        deviceId: deviceIds,
        place: places,
        status: fc.constantFrom("done", "failed", "unknown"),
        result: json,
        message: fc.option(freeText),
        word: freeText,
        goesOn: fc.boolean(),
        // Mostly of the kind of the command.
        right: fc.constantFrom(true, true, true, false),
        event: otaEvents,
      }),
      ({ deviceId, place, word, goesOn, right, event, ...answer }, side) => {
        const commandId = commandAt(deviceId, place, side);
        const found = (side.state.commands.get(deviceId) ?? []).find(
          (command) => command.commandId === commandId,
        );
        const isUpdate = (found?.name === updateNow) === right;
        const ota = { ...event, source: "command" as const, createdAt: side.now, deviceId };
        return {
          ...{ deviceId, commandId, now: side.now },
          answer: isUpdate && goesOn ? null : answer,
          update: isUpdate ? { status: word, message: answer.message, event: ota } : null,
        };
      },
    ),
  },
  cancel: {
    drafts: drafted(
      fc.record({ deviceId: deviceIds, place: places, ownerId: ownerOrOperator }),
      ({ deviceId, place, ownerId }, side) => ({
        ...{ deviceId, ownerId, now: side.now },
        commandId: commandAt(deviceId, place, side),
        event: eventOf(side, deviceId, "device.command_cancelled"),
      }),
    ),
  },
  find: {
    drafts: drafted(ofCommand, ({ deviceId, place }, side) => ({
      deviceId,
      commandId: commandAt(deviceId, place, side),
    })),
  },
  list: {
    drafts: drafted(
      fc.record({
        deviceId: deviceIds,
        age: fc.constantFrom(minuteMs, 100 * hourMs),
        before: fc.option(places),
        limit: limits,
      }),
      ({ deviceId, age, before, limit }, side) => ({
        ...{ deviceId, limit, from: side.now - age },
        before: before === null ? null : commandAt(deviceId, before, side),
      }),
    ),
  },
  endDue: {
    drafts: drafted(limits, (limit, { now }) => ({ limit, now })),
    drains: (ended) => ended,
  },
  prune: {
    drafts: drafted(
      fc.record({ age: fc.constantFrom(0, minuteMs, hourMs), limit: limits }),
      ({ age, limit }, { now }) => ({ limit, endedBefore: now - age }),
    ),
    drains: (pruned) => pruned,
  },
};
