import fc from "fast-check";
import { expect, test } from "vitest";
import { isAmbiguousPath } from "./is-ambiguous-path.js";

const slashes = ["/", "\\", "%2f", "%2F", "%5c", "%5C"];
const dots = [".", "%2e", "%2E"];
const dotSegments = [...dots, ...dots.flatMap((a) => dots.map((b) => a + b))];

test("a path with a dot segment is ambiguous, however it is spelled and wherever it stands", () => {
  const segment = fc.string({ minLength: 1, unit: fc.constantFrom(..."ab:%.-_~") });
  const slash = fc.constantFrom(...slashes);
  fc.assert(
    fc.property(
      segment,
      segment,
      slash,
      slash,
      fc.constantFrom(...dotSegments),
      (a, b, s, t, dot) => {
        for (const path of [
          `/${a}${s}${dot}${t}${b}`,
          `/${a}/${dot}`,
          `/${dot}/${b}`,
          `/${a}/${dot}?${b}`,
        ]) {
          expect([path, isAmbiguousPath(path)]).toEqual([path, true]);
        }
      },
    ),
  );
});

test("a path with an encoded slash, an encoded backslash, a backslash or a NUL is ambiguous", () => {
  for (const bad of [...slashes.slice(1), "%00", "\0", "\t", "\n", "\r"]) {
    expect([bad, isAmbiguousPath(`/api/x${bad}y`)]).toEqual([bad, true]);
  }
});

test("identifiers with dots and escapes are not ambiguous, and the query does not count", () => {
  const identifier = fc.string({ minLength: 1, unit: fc.constantFrom(..."aZ09._:-") });
  fc.assert(
    fc.property(identifier, (id) => {
      fc.pre(id !== "." && id !== "..");
      const encoded = encodeURIComponent(id);
      for (const path of [
        `/devices/${id}`,
        `/devices/${encoded}`,
        `/devices/${encoded}/config?next=/../%2f`,
      ]) {
        expect([path, isAmbiguousPath(path)]).toEqual([path, false]);
      }
    }),
  );
  for (const path of [
    "/",
    "/a%3ab",
    "/a%20b",
    "/%252e/x",
    "/...",
    "/.well-known/x",
    "/a..b",
    "*",
  ]) {
    expect([path, isAmbiguousPath(path)]).toEqual([path, false]);
  }
});

test("a URL parser does not change a path that is not ambiguous", () => {
  const unit = fc.constantFrom("/", ".", "%2e", "%2E", "\\", "a", "%3a", "%2f", ":", "~");
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 8 }), (parts) => {
      const path = `/${parts.join("")}`;
      fc.pre(!isAmbiguousPath(path));
      // The URL has an origin in front, because a path that begins with two slashes would name a host.
      expect(new URL(`http://gateway.example.com${path}`).pathname).toBe(path);
    }),
    { numRuns: 1_000 },
  );
});
