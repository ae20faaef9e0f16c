import { readFileSync } from "node:fs";
import { expect, expectTypeOf, test } from "vitest";
import type { z } from "zod";
import { Limits } from "./limits.js";

/** Reads the doc comment of each member of the interface `Limits`. */
function readDocs(): Record<string, string> {
  const source = readFileSync(new URL("limits.ts", import.meta.url), "utf8");
  const [members = ""] = /^export interface Limits \{[\s\S]*?^\}/m.exec(source) ?? [];
  const docs = members.matchAll(/\/\*\*([\s\S]*?)\*\/\s+readonly (\w+): number;/g);
  return Object.fromEntries(
    [...docs].map(([, text = "", name = ""]) => [
      name,
      text
        .replaceAll(/^\s*\* /gm, " ")
        .replaceAll(/\s+/g, " ")
        .trim(),
    ]),
  );
}

test("the docs of each limit state its description, range, unit and default", () => {
  const inWords = (count: number | null) => count?.toLocaleString("en-US");
  const expected = Object.entries(Limits.shape).map(([name, schema]) => {
    const { minValue, maxValue } = schema.unwrap();
    const { description, unit } = schema.meta() ?? {};
    const range = `${inWords(minValue)} to ${inWords(maxValue)} ${unit}`;
    return [name, `${description} ${range}, default ${inWords(schema.parse(undefined))}.`];
  });
  expect(readDocs()).toEqual(Object.fromEntries(expected));
});

test("the schema of the limits has the type of their interface", () => {
  expectTypeOf<Readonly<z.output<typeof Limits>>>().toEqualTypeOf<Limits>();
});

test("§9 the limits have the defaults of the specification", () => {
  expect(Limits.parse({})).toEqual({
    tokenTtlSeconds: 24 * 3600,
    authPerMinute: 120,
    loginsPerMinute: 10,
    hashesInFlight: 2,
    hashesQueued: 32,
    telemetryPerMinute: 120,
    metricsPerMinute: 60_000,
    telemetryBytesPerMinute: 4 * 1024 * 1024,
    unclaimedBytesPerMinute: 64 * 1024,
    unclaimedTotalBytesPerMinute: 2 * 1024 * 1024,
    dashboardPerMinute: 600,
    bodyBytes: 16 * 1024,
    telemetryBodyBytes: 256 * 1024,
    firmwareImageBytes: 64 * 1024 * 1024,
    downloadsPerDevice: 2,
    answerTimeoutSeconds: 10,
    telemetryRetentionDays: 90,
    rollUpRetentionDays: 730,
    otaEventRetentionDays: 365,
    eventRetentionDays: 30,
    claimTriesPerCustomerAndDevice: 5,
    claimTriesPerCustomer: 30,
    claimTriesPerDevice: 50,
    registerTriesPerAddressAndDevice: 5,
    registerTriesPerDevice: 50,
    fleetFailuresPerHour: 1_000,
    unusedRegistrationDays: 7,
    reEnrolmentMinutes: 15,
    updateTimeoutHours: 24,
    updateSilenceMinutes: 60,
    updateBlockHours: 24,
    rolloutFailurePercent: 2,
    commandsPerDevice: 20,
    commandWaiters: 1_000,
    commandRetentionDays: 30,
    claimCodeMinLength: 6,
  });
});
