import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createDeviceClient } from "@device-gateway/device-client";
import { describe, expect, it } from "vitest";
import { useCheapScrypt } from "../testing/cheap-scrypt.js";
import { createCustomer, customerSettings, signCustomer } from "../testing/customer.js";
import { recordingOf, runDemoAgainst } from "../testing/demo-harness.js";
import { startTestServer, type TestServer } from "../testing/start-test-server.js";
import { demoDevice } from "./demo-context.js";
import type { DemoState } from "./demo-state.js";

useCheapScrypt();

const { deviceId } = demoDevice;
const recording = recordingOf(100);
const signedIn = ["registered", "configured", "replaying", "replayed", "live"];

const stateFile = ({ settings }: TestServer) => join(settings.DATA_DIR, "demo-gateway.json");
const readState = async (server: TestServer) =>
  JSON.parse(await readFile(stateFile(server), "utf8")) as DemoState;

/** Removes the gateway's secret from its state, or replaces it with an outdated one. */
async function loseSecret(server: TestServer, how: "lost" | "outdated"): Promise<void> {
  const { deviceSecret: _, ...rest } = await readState(server);
  const state = how === "lost" ? rest : { ...rest, deviceSecret: "an-outdated-secret" };
  await writeFile(stateFile(server), JSON.stringify(state));
}

async function startWithCustomer() {
  const server = await startTestServer(customerSettings);
  const customer = createCustomer(server.url, await signCustomer("c-1"));
  const claim = async () => {
    const { claimCode } = await readState(server);
    return customer.claim(deviceId, claimCode);
  };
  return { server, ...customer, claim };
}

describe("a demo gateway that cannot log in", () => {
  it("registers again if the response to its registration was lost", async () => {
    const server = await startTestServer();
    const crash = new AbortController();
    const lossy = async (url: string, init: RequestInit) => {
      expect((await fetch(url, init)).status).toBe(201);
      crash.abort();
      throw new Error("The cable was pulled.");
    };
    await runDemoAgainst(server, { fetch: lossy, signal: crash.signal, recording });
    expect((await readState(server)).deviceSecret).toBeUndefined();

    const statuses: number[] = [];
    const watching = async (url: string, init: RequestInit) => {
      const response = await fetch(url, init);
      if (url.endsWith("/register")) statuses.push(response.status);
      return response;
    };
    const { kinds } = await runDemoAgainst(server, { fetch: watching, recording });
    expect(kinds).toEqual(signedIn);
    expect(statuses).toEqual([200]);
    expect((await runDemoAgainst(server, { recording })).kinds[0]).toBe("logged_in");
  });

  it.each(["lost", "outdated"] as const)(
    "registers again with its claim code as long as it has no owner (secret %s)",
    async (how) => {
      const server = await startTestServer();
      await runDemoAgainst(server, { recording });
      await loseSecret(server, how);
      const { events, kinds } = await runDemoAgainst(server, { recording });
      expect(kinds).toEqual(signedIn);
      // The server counts the readings that it already has as duplicates.
      expect(events).toContainEqual({
        kind: "replayed",
        stored: 0,
        duplicates: 100,
        rejected: 0,
      });
    },
  );

  it.each(["lost", "outdated"] as const)(
    "reports once that it is locked out if it has an owner, and registers in a re-enrolment window (secret %s)",
    async (how) => {
      const { server, claim, openReEnrolment } = await startWithCustomer();
      await runDemoAgainst(server, { recording });
      expect(await claim()).toMatchObject({ status: 200 });
      await loseSecret(server, how);

      const stop = new AbortController();
      let waits = 0;
      const { events } = await runDemoAgainst(server, {
        recording,
        signal: stop.signal,
        async wait(ms) {
          expect(ms).toBe(waits < 2 ? 15_000 : 60_000);
          waits++;
          if (waits === 2) expect((await openReEnrolment(deviceId)).status).toBe(200);
          if (waits < 3) return;
          stop.abort();
          stop.signal.throwIfAborted();
        },
      });
      expect(events.filter(({ kind }) => kind === "locked_out")).toHaveLength(1);
      expect(events.map(({ kind }) => kind).filter((kind) => kind !== "replaying")).toEqual([
        "locked_out",
        ...signedIn.filter((kind) => kind !== "replaying"),
      ]);
      expect((await runDemoAgainst(server, { recording })).kinds[0]).toBe("logged_in");
    },
  );

  it("continues after its owner releases it", async () => {
    const { server, claim, release } = await startWithCustomer();
    const stop = new AbortController();
    let waits = 0;
    const { events } = await runDemoAgainst(server, {
      recording: [],
      signal: stop.signal,
      async wait() {
        waits++;
        if (waits === 1) {
          await claim();
          expect((await release(deviceId)).status).toBe(204);
        } else {
          stop.abort();
          stop.signal.throwIfAborted();
        }
      },
    });
    expect(events.map(({ kind }) => kind).filter((kind) => kind === "live")).toHaveLength(2);
    expect(events.some(({ kind }) => kind === "failed")).toBe(false);
  });

  it("stores a new secret that a login returns", async () => {
    const server = await startTestServer();
    await runDemoAgainst(server, { recording });
    const before = await readState(server);

    // A login rotates a secret only after days. Registering with the secret rotates it at once.
    const rotating = async (url: string, init: RequestInit) => {
      if (!url.endsWith("/login")) return fetch(url, init);
      const client = createDeviceClient({ baseUrl: server.url });
      const { deviceSecret = "", claimCode } = before;
      const rotated = await client.register({ ...demoDevice, deviceSecret, claimCode });
      return Response.json(rotated._unsafeUnwrap());
    };
    expect((await runDemoAgainst(server, { fetch: rotating, recording })).kinds[0]).toBe(
      "logged_in",
    );
    expect((await readState(server)).deviceSecret).not.toBe(before.deviceSecret);
    expect((await runDemoAgainst(server, { recording })).kinds[0]).toBe("logged_in");
  });
});
