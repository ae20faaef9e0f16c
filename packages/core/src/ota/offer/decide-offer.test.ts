import { sampleDevice, sampleRelease } from "@device-gateway/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { compareFirmwareVersions } from "../../shared/firmware-version.js";
import type { Release } from "../release/release.js";
import {
  decideOffer,
  findOffer,
  highestFirst,
  type OfferFacts,
  reasonsAgainst,
} from "./decide-offer.js";
import { type DeviceOta, newDeviceOta } from "./device-ota.js";
import type { OfferReasonCode } from "./offer-reason.js";

const now = Date.UTC(2025, 5, 2);
const release = (id: number, changes: Partial<Release> = {}): Release => ({
  ...sampleRelease({ status: "active", hasImage: true, activatedAt: now }),
  id,
  revision: 1,
  version: "1.0.0",
  ...changes,
});
const device = (ota: Partial<DeviceOta> = {}, capabilities = {}) => {
  const sample = sampleDevice("gw-1", { ota: { ...newDeviceOta, ...ota } });
  return { ...sample, profile: { ...sample.profile, capabilities } };
};
const facts = (changes: Partial<OfferFacts> = {}): OfferFacts => ({
  device: device(),
  currentVersion: "0.9.0",
  otaEnabled: true,
  hasPublicUrl: true,
  now,
  ...changes,
});
const codes = (one: Release, of: OfferFacts) => reasonsAgainst(one, of).map(({ code }) => code);

test("§6 a release is offered if there is no reason against it", () => {
  expect(codes(release(1), facts())).toEqual([]);
});

test("§8 each condition that prevents an offer is a reason of its own", () => {
  const cases: readonly [OfferReasonCode, Partial<Release>, Partial<OfferFacts>][] = [
    ["draft", { status: "draft" }, {}],
    ["paused", { status: "paused" }, {}],
    ["halted", { status: "paused", haltedAt: now }, {}],
    ["withdrawn", { status: "withdrawn" }, {}],
    ["image_missing", { hasImage: false }, {}],
    ["public_url_missing", {}, { hasPublicUrl: false }],
    ["external_download_unsupported", { hasImage: false, externalUrl: "https://cdn.test/a" }, {}],
    ["other_hardware", { targetHardware: "gw-3" }, {}],
    ["other_channel", { rolloutChannel: "beta" }, {}],
    ["not_newer", { version: "0.9.0" }, {}],
    ["not_newer", { version: "0.8.10" }, {}],
    ["below_min_version", { minVersion: "0.9.1" }, {}],
    ["outside_rollout", { rolloutPercent: 0 }, {}],
    ["pinned", {}, { device: device({ pinnedVersion: "1.1.0" }) }],
    ["ota_disabled", {}, { otaEnabled: false }],
    ["device_revoked", {}, { device: { ...device(), revokedAt: now } }],
    ["blocked", {}, { device: device({ blocks: [{ releaseId: 1, until: now + 1 }] }) }],
    [
      "already_succeeded",
      {},
      { device: device({ current: { releaseId: 1, version: "1.0.0", state: "succeeded" } }) },
    ],
  ];
  for (const [code, changes, of] of cases) {
    expect([code, codes(release(1, changes), facts(of))]).toEqual([code, [code]]);
  }
});

test("§8 all reasons are returned, not only the first", () => {
  const wrong = release(1, { rolloutChannel: "beta", minVersion: "0.9.5", status: "paused" });
  const all = codes(wrong, facts({ otaEnabled: false }));
  expect(all).toEqual(["paused", "ota_disabled", "other_channel", "below_min_version"]);
});

test("§6 an expired block, or one of another release, is no reason", () => {
  const blocks = [
    { releaseId: 1, until: now },
    { releaseId: 2, until: now + 9 },
  ];
  expect(codes(release(1), facts({ device: device({ blocks }) }))).toEqual([]);
});

test("§6 an image on another server is offered only to devices that declare that they can download it", () => {
  const capable = facts({ device: device({}, { externalDownload: true }), hasPublicUrl: false });
  expect(
    codes(release(1, { hasImage: false, externalUrl: "https://cdn.test/a" }), capable),
  ).toEqual([]);
  expect(codes(release(1), capable)).toEqual(["public_url_missing"]);
});

test("§6 a pin allows only its version, whatever its channel and share, and never an older one", () => {
  const pinned = facts({ device: device({ pinnedVersion: "1.1.0" }) });
  const all = highestFirst([
    release(1),
    release(2, { version: "1.1.0", rolloutChannel: "beta", rolloutPercent: 0 }),
    release(3, { version: "1.2.0" }),
  ]);
  expect(findOffer(all, pinned)?.id).toBe(2);
  expect(findOffer(all, { ...pinned, currentVersion: "1.1.0" })).toBeNull();
  expect(findOffer(all, { ...pinned, currentVersion: "1.1.5" })).toBeNull();
});

test("§6 after a reported success, neither this release nor an older one is offered", () => {
  const current = { releaseId: 2, version: "2.0.0", state: "succeeded" } as const;
  const updated = facts({ device: device({ current }) });
  const all = highestFirst([release(1, { version: "1.5.0" }), release(2, { version: "2.0.0" })]);
  expect(findOffer(all, updated)).toBeNull();
  const newer = highestFirst([...all, release(3, { version: "2.1.0" })]);
  expect(findOffer(newer, updated)?.id).toBe(3);
});

test("§6 a device below minVersion is offered the highest release whose minVersion is met", () => {
  const all = highestFirst([
    release(1, { version: "1.0.0" }),
    release(2, { version: "1.9.0", minVersion: "1.0.0" }),
    release(3, { version: "1.10.0", minVersion: "1.9.0" }),
  ]);
  const way: (string | undefined)[] = [];
  let running: string | undefined = "0.5.0";
  while (running !== undefined) {
    running = findOffer(all, facts({ currentVersion: running }))?.version;
    way.push(running);
  }
  expect(way).toEqual(["1.0.0", "1.9.0", "1.10.0", undefined]);
});

test("§8 a release that fits but is not the highest is superseded", () => {
  const all = highestFirst([release(1), release(2, { version: "1.1.0" })]);
  const explain = (id: number) =>
    decideOffer(all.find((one) => one.id === id) as Release, all, facts());
  expect(explain(2)).toEqual({ offered: true });
  expect(explain(1)).toEqual({ offered: false, reasons: [{ code: "superseded" }] });
});

const version = fc.tuple(fc.nat(2), fc.nat(11), fc.nat(2)).map((parts) => parts.join("."));
const anyRelease = fc.record({
  version,
  minVersion: fc.option(version),
  rolloutChannel: fc.constantFrom("stable", "beta"),
  targetHardware: fc.constantFrom("gw-2", "gw-3"),
  rolloutPercent: fc.constantFrom(0, 50, 100),
  status: fc.constantFrom("active", "paused"),
});
const catalogue = fc
  .uniqueArray(anyRelease, {
    selector: (one) => `${one.targetHardware} ${one.version}`,
    maxLength: 8,
  })
  .map((all) => all.map((one, n) => release(n + 1, one as Partial<Release>)));

test("§6 the offer is the release that the explanation names, and is strictly newer", () => {
  fc.assert(
    fc.property(catalogue, version, fc.option(version), (all, currentVersion, pinnedVersion) => {
      const of = facts({ currentVersion, device: device({ pinnedVersion }) });
      const sorted = highestFirst(all.filter(({ status }) => status === "active"));
      const offer = findOffer(sorted, of);
      const offered = all.filter((one) => decideOffer(one, sorted, of).offered);
      expect(offered.map(({ id }) => id)).toEqual(offer === null ? [] : [offer.id]);
      if (offer === null) return;
      expect(compareFirmwareVersions(offer.version, currentVersion)).toBeGreaterThan(0);
      const higher = all.filter((one) => compareFirmwareVersions(one.version, offer.version) > 0);
      for (const one of higher) expect(reasonsAgainst(one, of)).not.toEqual([]);
    }),
    { numRuns: 300 },
  );
});
