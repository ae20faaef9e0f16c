import { otaOptions, release } from "../wire/world/ota-world.js";
import { sampleRegistration } from "../wire/world/wire-world.js";
import { type GrowthCase, listOf } from "./growth-case.js";

const second = 1_000;
const hints = {
  targetHardware: "t".repeat(128),
  hardwarePlatform: "p".repeat(128),
  hardwareModel: "m".repeat(128),
  boardProfile: "b".repeat(128),
};
const capabilities = Object.fromEntries(listOf(64, (n) => [`c${n}`, true]));
const longest = (n: number) => `${n}`.padEnd(128, "x");

/** Attacks with registrations, logins, claims, downloads and update reports. */
export const deviceGrowthCases: readonly GrowthCase[] = [
  {
    name: "repeated downloads of an image from its first byte",
    options: otaOptions,
    requests: 60,
    stepMs: second,
    async prepare(world) {
      const { token } = await world.register(longest(0));
      const { id } = await release(world, "1.0.0");
      const request = { token, params: { releaseId: String(id) } };
      return () => world.call("downloadFirmware", request);
    },
  },
  {
    name: "registrations of devices with the shortest names",
    runsAlways: true,
    requests: 60,
    stepMs: second,
    prepare:
      async ({ call }) =>
      (n) =>
        call("registerDevice", {
          body: { deviceId: `${n}`, hardwareId: "h", firmwareVersion: "0.1.0" },
        }),
  },
  {
    name: "registrations of devices with the longest names",
    requests: 60,
    stepMs: second,
    prepare:
      async ({ call }) =>
      (n) =>
        call("registerDevice", {
          body: { ...sampleRegistration(longest(n)), ...hints, capabilities },
        }),
  },
  {
    name: "registering again with the secret",
    requests: 60,
    stepMs: second,
    async prepare({ call, register }) {
      let { deviceSecret } = await register();
      return async () => {
        const { body } = await call("registerDevice", {
          body: { ...sampleRegistration(), deviceSecret },
        });
        ({ deviceSecret } = body);
      };
    },
  },
  {
    name: "registering again with the claim code",
    requests: 60,
    stepMs: second,
    async prepare({ call, register }) {
      await register();
      return () => call("registerDevice", { body: sampleRegistration() });
    },
  },
  {
    name: "registering again with a wrong claim code",
    requests: 60,
    stepMs: 60 * second,
    async prepare({ call, register }) {
      await register();
      return () =>
        call("registerDevice", { body: { ...sampleRegistration(), claimCode: "WRONG-CODE" } });
    },
  },
  {
    name: "wrong claims on unknown devices with the longest names",
    runsAlways: true,
    requests: 60,
    stepMs: second,
    async prepare({ call, signIn }) {
      const tokens = await Promise.all(listOf(10, (n) => signIn(`c${n}`)));
      return (n) =>
        call("claimDevice", {
          body: { deviceId: longest(n), claimCode: "ABCD-1234" },
          token: tokens[n % 10] as string,
        });
    },
  },
  {
    name: "wrong claims on one device",
    requests: 60,
    stepMs: second,
    async prepare({ call, signIn }) {
      const tokens = await Promise.all(listOf(50, (n) => signIn(`c${n}`)));
      return (n) =>
        call("claimDevice", {
          body: { deviceId: "g", claimCode: "ABCD-1234" },
          token: tokens[n % 50] as string,
        });
    },
  },
  {
    name: "logins with a wrong secret",
    requests: 60,
    stepMs: second,
    async prepare({ call, register }) {
      const { deviceId } = await register();
      return () => call("loginDevice", { body: { deviceId, deviceSecret: "wrong" } });
    },
  },
  {
    name: "logins with a new firmware version each",
    requests: 60,
    stepMs: second,
    async prepare({ call, register }) {
      const { deviceId, deviceSecret } = await register(longest(0));
      return (n) =>
        call("loginDevice", { body: { deviceId, deviceSecret, firmwareVersion: `0.1.${n}` } });
    },
  },
  {
    name: "update reports",
    requests: 60,
    stepMs: second,
    async prepare({ call, register }) {
      const { token } = await register(longest(0));
      return (n) =>
        call("reportUpdate", { token, body: { state: "downloading", version: `1.0.${n}` } });
    },
  },
  {
    name: "update reports with the longest texts",
    requests: 60,
    stepMs: second,
    async prepare({ call, register }) {
      const { token } = await register(longest(0));
      const code = "é".repeat(512);
      return (n) =>
        call("reportUpdate", {
          token,
          body: { state: "failed", version: `1.0.${n}`, code, message: code },
        });
    },
  },
  {
    name: "answers to unknown update requests",
    requests: 60,
    stepMs: second,
    async prepare({ call, register }) {
      const { token } = await register();
      return (n) =>
        call("answerUpdateCommand", { token, body: { requestId: `r${n}`, status: "done" } });
    },
  },
];
