import { expect, test } from "vitest";
import { addressName } from "./address-name.js";

test("§9 all addresses of an IPv6 /64 network count as one", () => {
  const names = {
    "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
    "2001:DB8:1:2::1": "2001:db8:1:2::/64",
    "2001:0db8:0001:0002:ffff::": "2001:db8:1:2::/64",
    "2001:db8:1:3::1": "2001:db8:1:3::/64",
    "::1": "0:0:0:0::/64",
    "fe80::1%eth0": "fe80:0:0:0::/64",
    "::ffff:192.0.2.1": "192.0.2.1",
    "::ffff:c000:201": "192.0.2.1",
    "::FFFF:C000:0201": "192.0.2.1",
    "0:0:0:0:0:ffff:c000:201": "192.0.2.1",
    "0000:0000:0000:0000:0000:ffff:192.0.2.1": "192.0.2.1",
    "192.0.2.1:51234": "192.0.2.1",
    "[2001:db8:1:2::1]:443": "2001:db8:1:2::/64",
    "[2001:db8:1:2::1]": "2001:db8:1:2::/64",
    "[::ffff:c000:201]:443": "192.0.2.1",
    "192.0.2.1": "192.0.2.1",
    "not:an:address": "not:an:address",
  };
  for (const [address, name] of Object.entries(names)) {
    expect([address, addressName(address)]).toEqual([address, name]);
  }
  expect(addressName(null)).toBe("unknown");
});
