import { expect, test } from "vitest";
import { createUpdateBench, goodStates } from "../testing/update-bench.js";

test("§6 reports wait for the server across restarts and arrive in order", async () => {
  const { device, server, publish, runUntilIdle } = createUpdateBench();
  publish("1.4.0");
  server.intercept = ({ path }) =>
    path === "/ota/events" ? new Response(null, { status: 503 }) : undefined;
  await runUntilIdle();
  expect(server.reports).toEqual([]);
  expect(device.installed).toHaveLength(1);
  server.intercept = null;
  server.offer = null;
  await runUntilIdle();
  const reported = server.states().filter((state) => !state.startsWith("downloading "));
  expect(reported).toEqual([
    "downloading",
    "downloaded",
    "verified",
    "installing",
    "rebooting",
    "succeeded 100",
    "rejected",
  ]);
});

test("§6 after a report that cannot be delivered, none is sent until the next run", async () => {
  const { server, publish, runUntilIdle } = createUpdateBench();
  publish("1.4.0", { size: 400_000 });
  server.intercept = ({ path }) =>
    path === "/ota/events" ? new Response(null, { status: 503 }) : undefined;
  await runUntilIdle();
  const tries = server.requests.filter(({ path }) => path === "/ota/events");
  // One before the restart, one after it.
  expect(tries).toHaveLength(2);
  server.intercept = null;
  await runUntilIdle();
  expect(server.states()).toEqual([...goodStates, "rejected"]);
});

test("§6 a new image runs its self-test before it sends waiting reports", async () => {
  const { device, server, publish, runUntilIdle, running } = createUpdateBench();
  publish("1.4.0");
  const onTrial: boolean[] = [];
  server.intercept = ({ path }) => {
    if (path !== "/ota/events") return undefined;
    onTrial.push(device.isOnTrial);
    return new Response(null, { status: 503 });
  };
  await runUntilIdle();
  expect(running()).toBe("1.4.0");
  expect(onTrial).toEqual([false, false]);
});

test("§6 a report that the server rejects for good is dropped", async () => {
  const { server, publish, runUntilIdle } = createUpdateBench();
  publish("1.4.0");
  let refusals = 0;
  server.intercept = ({ path }) => {
    if (path !== "/ota/events" || refusals++ > 0) return undefined;
    return new Response(null, { status: 400 });
  };
  await runUntilIdle();
  expect(server.states()[0]).toBe("downloading 25");
});
