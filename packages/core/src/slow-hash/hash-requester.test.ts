import { expect, test } from "vitest";
import { claimRequester, registrationRequester } from "./hash-requester.js";

const user = (id: string, emailVerified = true) => ({ id, emailVerified, roles: [] });

test("§9 a registration counts for its IPv4 address, or for its IPv6 /64 within its /48", () => {
  expect(registrationRequester("192.0.2.1").path).toEqual(["192.0.2.1"]);
  expect(registrationRequester("::ffff:192.0.2.1").path).toEqual(["192.0.2.1"]);
  expect(registrationRequester("2001:db8:1:2:3::4").path).toEqual([
    "2001:db8:1::/48",
    "2001:db8:1:2::/64",
  ]);
  expect(registrationRequester(null).path).toEqual(["unknown"]);
});

test("§9 a claim of a verified customer counts for the customer, whatever the client address", () => {
  const [home, mobile] = ["192.0.2.1", "2001:db8:1:2::1"].map(
    (address) => claimRequester(user("alice"), address).path[0],
  );
  expect(home).toBe("customer:alice");
  expect(mobile).toBe(home);
  expect(claimRequester(user("bob"), "192.0.2.1").path[0]).not.toBe(home);
});

test("§9 customers without a verified e-mail address form one group, divided by client address", () => {
  expect(claimRequester(user("x", false), "192.0.2.1").path).toEqual([
    "unverified",
    "192.0.2.1",
    "x",
  ]);
  expect(claimRequester(user("customer:alice", false), "192.0.2.1").path[0]).toBe("unverified");
});

test("§9 after a claim, the verified customer rests, or the network of an unverified one", () => {
  const { restsAs } = claimRequester(user("alice"), "192.0.2.1");
  expect(claimRequester(user("alice"), "192.0.2.2").restsAs).toBe(restsAs);
  expect(claimRequester(user("bob"), "192.0.2.1").restsAs).not.toBe(restsAs);
  const unverified = claimRequester(user("x", false), "2001:db8:1:2::1");
  expect(claimRequester(user("y", false), "2001:db8:1:3::1").restsAs).toBe(unverified.restsAs);
  expect(claimRequester(user("x", false), "2001:db8:2::1").restsAs).not.toBe(unverified.restsAs);
});

test("§9 registrations do not rest", () => {
  expect(registrationRequester("192.0.2.1").restsAs).toBeUndefined();
});
