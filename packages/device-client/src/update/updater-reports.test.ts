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

/** Answers the first report in place of the server, and runs until the image is installed. */
async function answerFirstReport(answer: Response) {
  const { server, publish, runUntilIdle } = createUpdateBench();
  publish("1.4.0");
  let reports = 0;
  server.intercept = ({ path }) => (path === "/ota/events" && reports++ === 0 ? answer : undefined);
  await runUntilIdle();
  return server.states();
}

const problem = (code: string, status: number) =>
  Response.json({ code, detail: "The server says why.", status, requestId: "r1" }, { status });

/** A problem document of a proxy, which has no request id of the gateway. */
const foreign = (code: string, status: number) =>
  Response.json({ code, detail: "The proxy says why.", status }, { status });

test.each([
  ["invalid_request", 400],
  ["a_later_code", 422],
])("§6 a report that the server rejects for good is dropped: %s", async (code, status) => {
  const [first] = await answerFirstReport(problem(code, status));
  expect(first).toBe("downloading 25");
});

test.each([
  ["a captive portal's page", new Response("<h1>Hotel Wi-Fi</h1>", { status: 200 })],
  ["a 202 of another program", Response.json({}, { status: 202 })],
  ["a 202 with another status", Response.json({ status: "queued" }, { status: 202 })],
  ["a proxy's 413", new Response("<h1>Too large</h1>", { status: 413 })],
  ["a proxy's 403", new Response(null, { status: 403 })],
  ["a proxy's problem document", foreign("request_too_large", 413)],
  ["the gateway's 404 for a wrong path", problem("not_found", 404)],
  ["the gateway's 405 for a wrong path", problem("method_not_allowed", 405)],
  ["a time-out", problem("timeout", 408)],
  ["a server that is busy", problem("too_many_requests", 429)],
])("§6 a report is sent again after %s", async (_, answer) => {
  const [first] = await answerFirstReport(answer);
  expect(first).toBe("downloading");
});

test("while the gateway's address is wrong, no waiting report is dropped", async () => {
  const { server, publish, runUntilIdle } = createUpdateBench();
  publish("1.4.0", { size: 400_000 });
  server.intercept = ({ path }) => (path === "/ota/events" ? problem("not_found", 404) : undefined);
  await runUntilIdle();
  expect(server.reports).toEqual([]);
  server.intercept = null;
  await runUntilIdle();
  expect(server.states()).toEqual([...goodStates, "rejected"]);
});
