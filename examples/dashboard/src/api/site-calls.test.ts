import { beforeEach, expect, test, vi } from "vitest";
import { account, site } from "../session.js";
import {
  announceSession,
  keepViewWithoutSession,
  readDemoMails,
  refreshSite,
} from "./site-calls.js";

const toSite = (email: string) => {
  const user = { email, name: "", emailVerified: true, operator: false, secondFactor: false };
  return { url: "http://gateway.test", demo: null, account: { ...user, lacksFactor: false } };
};

/** Requests wait until the test answers them, with the site or with an error status. */
let requests: ((answer: object | number) => void)[];

beforeEach(() => {
  requests = [];
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  vi.stubGlobal("localStorage", { getItem: () => null });
  vi.stubGlobal(
    "fetch",
    () =>
      new Promise<Response>((resolve) => {
        requests.push((answer) =>
          resolve(
            typeof answer === "number"
              ? new Response("", { status: answer })
              : Response.json(answer),
          ),
        );
      }),
  );
  site.value = undefined;
  return () => {
    site.value = undefined;
    vi.useRealTimers();
  };
});

test("an error response leaves the page as it is, unless nothing is shown yet", async () => {
  const first = refreshSite();
  requests[0]?.(503);
  expect(await first).toBe(false);
  expect(site.value).toBe("unreachable");
  const second = refreshSite();
  requests[1]?.(toSite("ann@example.com"));
  expect(await second).toBe(true);
  const third = refreshSite();
  requests[2]?.(429);
  expect(await third).toBe(false);
  expect(account.value?.email).toBe("ann@example.com");
});

test("a late response to an earlier request is dropped, and its caller gets the state of the latest", async () => {
  const earlier = refreshSite();
  const latest = refreshSite();
  const seen = earlier.then(() => account.value?.email);
  requests[0]?.(toSite("ann@example.com"));
  requests[1]?.(toSite("bob@example.com"));
  await latest;
  expect(await seen).toBe("bob@example.com");
  const slow = refreshSite();
  const quick = refreshSite();
  requests[3]?.(toSite("bob@example.com"));
  await quick;
  requests[2]?.(503);
  expect(await slow).toBe(true);
});

test("after a user signed in or out, a server that does not answer does not leave the former user shown", async () => {
  site.value = toSite("ann@example.com");
  const announced = announceSession();
  requests[0]?.(429);
  await announced;
  expect(account.value).toBeNull();
});

test("a user without a session who signs in again keeps the view, until a tab announces another session", async () => {
  const signedIn = toSite("ann@example.com");
  const signedOut = { ...signedIn, account: null };
  site.value = signedIn;
  keepViewWithoutSession(true);
  const refreshed = refreshSite();
  requests[0]?.(signedOut);
  expect(await refreshed).toBe(true);
  expect(account.value?.email).toBe("ann@example.com");
  const announced = announceSession();
  requests[1]?.(signedOut);
  await announced;
  expect(account.value).toBeNull();
});

test("a mailbox of the demo that can't be read is not shown as empty", async () => {
  const failed = readDemoMails();
  requests[0]?.(503);
  expect(await failed).toMatchObject({ ok: false });
  const closed = readDemoMails();
  requests[1]?.(404);
  expect(await closed).toMatchObject({ ok: true, value: [] });
});
