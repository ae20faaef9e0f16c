import { err, ok, type Result } from "neverthrow";
import { makeEvent } from "../audit/make-event.js";
import { patchInTurn } from "../change/patch-in-turn.js";
import { depthErrors, mergePatch } from "../config/merge-patch.js";
import type { GatewayContext } from "../context.js";
import type { Failure } from "../shared/failure.js";
import { isJsonObject, type JsonObject } from "../shared/json.js";
import type { RequestOrigin } from "../shared/request-origin.js";
import type { User } from "../user/user.js";
import { type MetadataAnswer, toMetadataAnswer } from "./metadata-answer.js";
import type { DeviceMetadata } from "./metadata-store.js";

export interface MetadataChange {
  readonly deviceId: string;
  /** A merge patch (RFC 7396). Null removes a key. */
  readonly patch: JsonObject;
  /** Whether to change metadata of this version. Called again if another caller changed it meanwhile. */
  readonly accepts: (metadataVersion: string) => boolean;
  readonly operator: User;
  /** Throws if nobody waits for the change any more. */
  readonly checkDeadline: () => void;
  readonly origin: RequestOrigin;
}

type ChangeFailure = Failure<"device_not_found" | "invalid_request" | "precondition_failed">;

const none: DeviceMetadata = { values: {}, setAt: {} };

/** Returns when each key was set. A patch that changes a part of an object does not count as setting the object. */
function timesAfter(
  before: DeviceMetadata,
  patch: JsonObject,
  values: JsonObject,
  now: number,
): DeviceMetadata["setAt"] {
  const earlier = new Map(Object.entries(before.setAt));
  const isSet = (key: string) =>
    Object.hasOwn(patch, key) && !(isJsonObject(patch[key]) && isJsonObject(before.values[key]));
  return Object.fromEntries(
    Object.keys(values).map((key) => [key, isSet(key) ? now : (earlier.get(key) ?? now)]),
  );
}

/**
 * Changes a device's metadata for an operator (§8). Concurrent patches are all applied, one after the other. A patch
 * that removes the last key removes the metadata, whatever the schema requires.
 */
export async function changeMetadata(
  context: GatewayContext,
  change: MetadataChange,
): Promise<Result<MetadataAnswer, ChangeFailure>> {
  const errors = depthErrors(change.patch);
  if (errors.length > 0) return err({ code: "invalid_request", errors });
  const target = `metadata of ${change.deviceId}`;
  return patchInTurn(context, target, change.checkDeadline, () => changeOnce(context, change));
}

/** Returns `changed` if another process changed the metadata meanwhile. */
async function changeOnce(
  { store, metadata: rules, events, clock }: GatewayContext,
  { deviceId, patch, accepts, operator, origin }: MetadataChange,
): Promise<Result<MetadataAnswer, ChangeFailure> | "changed"> {
  if ((await store.devices.find(deviceId)) === null) return err({ code: "device_not_found" });
  const expected = await store.metadata.find(deviceId);
  const answer = toMetadataAnswer(expected);
  if (!accepts(answer.metadataVersion)) return err({ code: "precondition_failed" });

  const before = expected ?? none;
  const merged = mergePatch(before.values, patch);
  const isEmpty = Object.keys(merged).length === 0;
  if (isEmpty && expected === null) return ok(answer);
  const checked = isEmpty ? ok({ values: merged, index: {} }) : rules.check(merged);
  if (checked.isErr()) return err({ code: "invalid_request", errors: checked.error });

  const { values, index } = checked.value;
  const now = clock.now();
  const next = isEmpty ? null : { values, setAt: timesAfter(before, patch, values, now) };
  const keys = Object.keys(patch).filter((key) =>
    [before.values, values].some((all) => Object.hasOwn(all, key)),
  );
  const event = makeEvent({
    kind: "device.metadata_changed",
    at: now,
    deviceId,
    actor: operator.id,
    origin,
    details: { keys },
  });
  const outcome = await store.metadata.replace({ deviceId, expected, next, index, event });
  switch (outcome.kind) {
    case "replaced": {
      events.announce(event);
      return ok(toMetadataAnswer(next));
    }
    case "unknown":
      return err({ code: "device_not_found" });
    case "conflict":
      return "changed";
  }
}
