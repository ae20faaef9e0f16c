import type { GatewayStore } from "@device-gateway/core";
import type { Device } from "@device-gateway/core/store";
import type { Plants } from "../attack.js";

/*
 * Bugs that the attacks must find. Each wraps a port, a hash, the handler or the updater. An attack that
 * misses its bug proves nothing.
 */

const othersRun = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** Checks whether the device is free, then claims it without checking again. */
export const racyClaim: Plants = {
  store: (store) => ({
    ...store,
    claims: {
      ...store.claims,
      async claim(input) {
        const before = await store.devices.find(input.deviceId);
        await othersRun();
        const outcome = await store.claims.claim(input);
        const wasFree = before !== null && before.ownership === null;
        return wasFree && outcome.kind === "taken"
          ? { kind: "claimed", claimedAt: input.now }
          : outcome;
      },
    },
  }),
};

/** Accepts a token of any epoch: the device's first credential always stays pending. */
export const noEpochCheck: Plants = {
  store: (store) => {
    const first = new Map<string, Device>();
    return {
      ...store,
      devices: {
        ...store.devices,
        async find(deviceId) {
          const device = await store.devices.find(deviceId);
          if (device === null) return null;
          const known = first.get(deviceId) ?? device;
          first.set(deviceId, known);
          const used = device.firstUsedAt !== null && device.pendingCredential === null;
          const pendingCredential = { ...known.credential, isRotation: false };
          return used ? { ...device, pendingCredential } : device;
        },
        async recordUse(input) {
          await store.devices.recordUse(input);
          return { kind: "recorded" };
        },
      },
    };
  },
};

/** Answers differently for another user's device than for an unknown device. */
export const leaking404: Plants = {
  handle: (handle, store) => async (request) => {
    const answer = await handle(request);
    const deviceId = /\/devices\/([^/]+)/.exec(request.path)?.[1] ?? "";
    if (answer.status !== 404 || (await store.devices.find(deviceId)) === null) return answer;
    const body = String(answer.body).replace("You have no device", "You have no such device");
    return { ...answer, body };
  },
};

/** Skips the slow hash if there is no code to compare with. */
export const skippedDummyHash: Plants = {
  slowHash: (slowHash) => ({
    derive: async (password, salt, cost) =>
      salt.every((byte) => byte === 0) ? new Uint8Array(32) : slowHash.derive(password, salt, cost),
  }),
};

/** Serves all clients from one first-come, first-served queue of slow hashes. */
export const oneQueueForAll: Plants = {
  handle: (handle) => {
    let open = 0;
    return async (request) => {
      if (!/\/(register|claim)$/.test(request.path)) return handle(request);
      // Two running hashes and 32 waiting ones.
      if (open >= 34) return { status: 503, headers: {}, body: '{"code":"unavailable"}' };
      open++;
      return handle(request).finally(() => open--);
    };
  },
};

/** Checks the budget, but counts the attempt only after others have passed the check. */
export const unreservedBudget: Plants = {
  store: (store: GatewayStore) => {
    const refunded = new Set<string>();
    return {
      ...store,
      budgets: {
        ...store.budgets,
        async reserve(input) {
          const outcome = await store.budgets.reserve(input);
          if (outcome.kind === "refused") return outcome;
          await store.budgets.refund(input.reservationId);
          void othersRun().then(async () => {
            if (!refunded.has(input.reservationId)) await store.budgets.reserve(input);
          });
          return outcome;
        },
        async refund(reservationId) {
          refunded.add(reservationId);
          await store.budgets.refund(reservationId);
        },
      },
    };
  },
};

/** Accepts the correct hardware id as proof. */
export const hardwareIdAsProof: Plants = {
  handle: (handle, store) => async (request) => {
    const answer = await handle(request);
    if (answer.status !== 409 || !request.path.endsWith("/device/register")) return answer;
    const body = await request.json(16_384);
    const deviceId = body.kind === "value" ? (body.value as { deviceId: string }).deviceId : "";
    const device = await store.devices.find(deviceId);
    if (device === null) return answer;
    await store.devices.rotate({
      ...device,
      expectedRevision: device.revision,
      pending: { ...device.credential, epoch: device.credential.epoch + 1, isRotation: false },
      closeReEnrolment: false,
      event: {
        kind: "device.registered_again",
        at: 0,
        deviceId,
        actor: "device",
        requestId: null,
        clientAddress: null,
        details: {},
      },
    });
    return answer;
  },
};

const overlooking = (...overlooked: readonly string[]): Plants => ({
  assess: (assess) => async (offer, device) => {
    const refusal = await assess(offer, device);
    return refusal !== null && overlooked.includes(refusal) ? null : refusal;
  },
});

/** A device that does not verify the signature. */
export const unverifiedSignature = overlooking("invalid_signature");

/** A device that installs any genuine release, however old. */
export const noVersionFloor = overlooking("not_newer", "rollback");

/** A device that installs any genuine release, for any hardware. */
export const anyHardware = overlooking("wrong_target");

/** Never reports changes of other processes. */
export const deafCache: Plants = {
  store: (store) => ({
    ...store,
    changes: {
      ...store.changes,
      since: async (cursor) =>
        cursor === null
          ? store.changes.since(null)
          : { kind: "changes", cursor, deviceIds: [], releasesChanged: false },
    },
  }),
};

/** Offers paused and withdrawn releases. */
export const offersTakenBack: Plants = {
  store: (store) => ({
    ...store,
    releases: {
      ...store.releases,
      async offerable() {
        const all = await store.releases.list({
          targetHardware: null,
          rolloutChannel: null,
          statuses: ["active", "paused", "withdrawn"],
          before: Number.MAX_SAFE_INTEGER,
          limit: 500,
        });
        return all.map((release) => ({ ...release, status: "active" }));
      },
    },
  }),
};
