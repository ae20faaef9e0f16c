import { expect, test } from "vitest";
import { toOriginForm } from "./origin-form.js";

test("a request target that is a whole URL is read as its path and query", () => {
  for (const [target, expected] of [
    ["http://gateway.test/api/v1/telemetry?a=1", "/api/v1/telemetry?a=1"],
    ["HTTPS://user@gateway.test:8443/readyz", "/readyz"],
    ["http://[::1]:80//x", "//x"],
    ["http://gateway.test", "/"],
    ["http://gateway.test?a=/b", "/?a=/b"],
  ]) {
    expect([target, toOriginForm(target as string)]).toEqual([target, expected]);
  }
});

test("other request targets stay unchanged", () => {
  for (const target of ["/", "/a?b=http://x/y", "//host/a", "*", "", "/http://x/y", "ftp://x/y"]) {
    expect(toOriginForm(target)).toBe(target);
  }
});
