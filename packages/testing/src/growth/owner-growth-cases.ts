import { registration } from "../wire/wire-world.js";
import type { GrowthCase } from "./growth-case.js";
import type { GrowthWorld } from "./growth-world.js";

const stepMs = 1_000;
const longId = "g".repeat(128);

/** A device with the longest name, and its owner. */
async function claimed({ call, register, signIn }: GrowthWorld) {
  const device = await register(longId);
  const owner = await signIn("owner");
  const claim = { deviceId: longId, claimCode: registration().claimCode };
  await call("claimDevice", { body: claim, token: owner });
  return { owner, device, claim, params: { deviceId: longId } };
}

/** What owners may do again and again. */
export const ownerGrowthCases: readonly GrowthCase[] = [
  {
    name: "a configuration that changes with every request",
    requests: 60,
    stepMs,
    async prepare(world) {
      const { owner, params } = await claimed(world);
      return (n) =>
        world.call("changeDeviceConfig", {
          ...{ token: owner, params },
          body: { telemetryIntervalSeconds: 10 + n },
        });
    },
  },
  {
    name: "a name that changes with every request",
    requests: 60,
    stepMs,
    async prepare(world) {
      const { owner, params } = await claimed(world);
      return (n) => world.call("renameDevice", { token: owner, params, body: { name: `n${n}` } });
    },
  },
  {
    name: "a device that is claimed and given up again and again",
    requests: 60,
    stepMs,
    async prepare(world) {
      const { owner, params, claim } = await claimed(world);
      return (n) =>
        n % 2 === 0
          ? world.call("releaseDevice", { token: owner, params })
          : world.call("claimDevice", { token: owner, body: claim });
    },
  },
  {
    name: "re-enrolment windows that are opened again and again",
    requests: 60,
    stepMs,
    async prepare(world) {
      const { owner, params } = await claimed(world);
      return () => world.call("openReEnrolment", { token: owner, params });
    },
  },
  {
    name: "an update that is asked for and answered again and again",
    requests: 60,
    stepMs,
    async prepare(world) {
      const { owner, params, device } = await claimed(world);
      let requestId = "";
      return async (n) => {
        if (n % 2 === 0) {
          const { body } = await world.call("commandUpdate", { token: owner, params });
          ({ requestId } = body);
          return;
        }
        const answer = { requestId, status: "done" };
        await world.call("answerUpdateCommand", { token: device.token, body: answer });
      };
    },
  },
];
