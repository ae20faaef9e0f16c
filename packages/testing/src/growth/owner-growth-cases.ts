import { sampleRegistration } from "../wire/world/wire-world.js";
import type { GrowthCase } from "./growth-case.js";
import type { GrowthWorld } from "./growth-world.js";

const stepMs = 1_000;
const longId = "g".repeat(128);

/** Registers and claims a device with the longest name. */
async function claimDevice({ call, register, signIn }: GrowthWorld) {
  const device = await register(longId);
  const owner = await signIn("owner");
  const claim = { deviceId: longId, claimCode: sampleRegistration().claimCode };
  await call("claimDevice", { body: claim, token: owner });
  return { owner, device, claim, params: { deviceId: longId } };
}

/** Attacks by an owner. */
export const ownerGrowthCases: readonly GrowthCase[] = [
  {
    name: "a configuration that changes with every request",
    runsAlways: true,
    requests: 60,
    stepMs,
    async prepare(world) {
      const { owner, params } = await claimDevice(world);
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
      const { owner, params } = await claimDevice(world);
      return (n) => world.call("renameDevice", { token: owner, params, body: { name: `n${n}` } });
    },
  },
  {
    name: "a device that is claimed and released repeatedly",
    requests: 60,
    stepMs,
    async prepare(world) {
      const { owner, params, claim } = await claimDevice(world);
      return (n) =>
        n % 2 === 0
          ? world.call("releaseDevice", { token: owner, params })
          : world.call("claimDevice", { token: owner, body: claim });
    },
  },
  {
    name: "re-enrolment windows that are opened repeatedly",
    requests: 60,
    stepMs,
    async prepare(world) {
      const { owner, params } = await claimDevice(world);
      return () => world.call("openReEnrolment", { token: owner, params });
    },
  },
  {
    name: "an update that is requested and answered repeatedly",
    requests: 60,
    stepMs,
    async prepare(world) {
      const { owner, params, device } = await claimDevice(world);
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
