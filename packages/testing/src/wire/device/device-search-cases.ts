import { expect } from "vitest";
import { sampleRegistration, type WireCase } from "../world/wire-world.js";

/** Cases for §8: operators search devices. */
export const deviceSearchCases: readonly WireCase[] = [
  {
    name: "§8 operators search devices by id, name, owner, hardware, version and state, and combine conditions",
    async run({ call, signIn, clock }) {
      const token = await signIn("op", { roles: ["operator"] });
      const ann = await signIn("ann");
      const devices = [
        ["gw-1", "esp32:a", "0.1.10"],
        ["gw-10", "esp32:a", "0.2.0"],
        ["gw-2", "esp32:b", "0.2.0"],
        ["pump-1", "esp32:b", "0.2.1"],
      ] as const;
      for (const [id, hardwareId, firmwareVersion] of devices) {
        const body = { ...sampleRegistration(id), hardwareId, firmwareVersion };
        expect((await call("registerDevice", { body })).status).toBe(201);
        if (id === "gw-2") continue;
        await call("claimDevice", { token: ann, body: { deviceId: id, claimCode: "ABCD-EFGH" } });
      }
      const rename = (deviceId: string, name: string) =>
        call("renameDevice", { token: ann, params: { deviceId }, body: { name } });
      await rename("gw-1", "Pump North");
      await rename("pump-1", "Pump South");
      await call("revokeDevice", { token, params: { deviceId: "gw-10" } });
      const find = async (query: Record<string, string>) => {
        const { status, body } = await call("listAllDevices", { token, query });
        expect([query, status]).toEqual([query, 200]);
        return body.devices.map(({ id }: { id: string }) => id).join(" ");
      };
      expect(await find({ id: "gw-1" })).toBe("gw-1");
      expect(await find({ id: "gw-1*" })).toBe("gw-1 gw-10");
      expect(await find({ id: "unknown" })).toBe("");
      expect(await find({ name: "Pump*" })).toBe("gw-1 pump-1");
      expect(await find({ owner: "ann" })).toBe("gw-1 gw-10 pump-1");
      expect(await find({ hardware: "esp32:b" })).toBe("gw-2 pump-1");
      expect(await find({ version: "0.2.*" })).toBe("gw-10 gw-2 pump-1");
      expect(await find({ revoked: "true" })).toBe("gw-10");
      expect(await find({ claimed: "false" })).toBe("gw-2");
      expect(await find({ version: "0.2.*", hardware: "esp32:b", claimed: "true" })).toBe("pump-1");
      expect(await find({ id: "gw-*", revoked: "false" })).toBe("gw-1 gw-2");
      expect(await find({ lastSeenBefore: String(clock.now() + 1), id: "p*" })).toBe("pump-1");
      const { token: own } = (await call("registerDevice", { body: sampleRegistration("gw-5") }))
        .body;
      await call("sendTelemetry", { token: own, body: { a: 1 } });
      const before = new Date(clock.now()).toISOString();
      expect(await find({ lastSeenBefore: before })).toBe("gw-1 gw-10 gw-2 pump-1");

      const pages: string[] = [];
      let cursor: string | null = null;
      do {
        const query = { version: "0.2.*", limit: "2", ...(cursor !== null && { cursor }) };
        const { body } = await call("listAllDevices", { token, query });
        pages.push(body.devices.map(({ id }: { id: string }) => id).join(" "));
        cursor = body.nextCursor;
      } while (cursor !== null);
      expect(pages).toEqual(["gw-10 gw-2", "pump-1"]);

      const ofIds = (await call("listAllDevices", { token, query: { limit: "1" } })).body;
      for (const query of [
        { revoked: "maybe" },
        { lastSeenBefore: "yesterday" },
        { name: "\u0000" },
        { name: "*", cursor: ofIds.nextCursor },
      ]) {
        const refused = await call("listAllDevices", { token, query });
        expect([query, refused.status]).toEqual([query, 400]);
      }
    },
  },
];
