import { beforeEach, expect, test, vi } from "vitest";
import { site } from "../session.js";
import { emails, findEmails } from "./people.js";

const answered = (people: readonly object[]) => Promise.resolve(Response.json({ people }));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  return () => {
    site.value = undefined;
    vi.useRealTimers();
  };
});

test("a lookup that failed is repeated, and one that succeeded is not", async () => {
  const fetched = vi.fn(() => Promise.reject(new Error("no connection")));
  vi.stubGlobal("fetch", fetched);
  await findEmails(["u1", "u2"]);
  expect([...emails.value]).toEqual([]);
  fetched.mockImplementation(() => answered([{ id: "u1", email: "ann@example.com" }]) as never);
  await findEmails(["u1", "u2"]);
  await findEmails(["u1", "u2"]);
  expect([...emails.value]).toEqual([["u1", "ann@example.com"]]);
  expect(fetched).toHaveBeenCalledTimes(2);
});
