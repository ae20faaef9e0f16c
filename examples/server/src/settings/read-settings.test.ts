import { Limits } from "@device-gateway/core";
import { describe, expect, it } from "vitest";
import { limitVariables, toLimits } from "./limit-variables.js";
import { type Environment, readSettings } from "./read-settings.js";

function settingsOf(environment: Environment) {
  const reading = readSettings(environment);
  if (reading.kind === "unusable") throw new Error(reading.problems.join("\n"));
  return reading.settings;
}

function problemsOf(environment: Environment) {
  const reading = readSettings(environment);
  return reading.kind === "unusable" ? reading.problems : [];
}

describe("readSettings", () => {
  it("needs nothing to be set", () => {
    expect(settingsOf({})).toMatchObject({
      HOST: "127.0.0.1",
      PORT: 3000,
      DATA_DIR: "./data",
      DEMO: false,
      LOG_LEVEL: "info",
      TRUSTED_PROXIES: 0,
      REGISTER_WITHOUT_CLAIM_CODE: true,
      REQUIRE_VERIFIED_EMAIL: true,
      FRESH_CODE_AFTER_RELEASE: false,
    });
  });

  it("has the gateway's default for every limit (§9)", () => {
    expect(toLimits(settingsOf({}))).toEqual(Limits.parse({}));
    expect(Object.keys(limitVariables)).toEqual(Object.keys(Limits.shape));
  });

  it("reads every type of value, with spaces around it", () => {
    const settings = settingsOf({
      PORT: " 0 ",
      DEMO: "1",
      REGISTER_WITHOUT_CLAIM_CODE: "false",
      PUBLIC_URL: "https://Gateway.example.com/",
      LOG_LEVEL: "debug",
      DG_LIMIT_BODY_BYTES: "2048",
      ROTATE_SECRET_AFTER_SECONDS: "86400",
      SUMMARY_METRICS: " soc, bms.voltage,soc ",
    });
    expect(settings).toMatchObject({
      PORT: 0,
      DEMO: true,
      REGISTER_WITHOUT_CLAIM_CODE: false,
      PUBLIC_URL: "https://gateway.example.com",
      LOG_LEVEL: "debug",
      ROTATE_SECRET_AFTER_SECONDS: 86_400,
      SUMMARY_METRICS: ["soc", "bms.voltage"],
    });
    expect(toLimits(settings).bodyBytes).toBe(2048);
  });

  it("treats an empty variable as absent", () => {
    expect(settingsOf({ PORT: "", LOG_LEVEL: " ", PUBLIC_URL: "" })).toEqual(settingsOf({}));
  });

  it.each([
    [
      "PORT",
      "http",
      'PORT is "http", but must be a whole number from 0 to 65535. Correct it or unset it for the default: 3000.',
    ],
    ["PORT", "65536", "from 0 to 65535"],
    ["PORT", "1e3", "a whole number"],
    ["HOST", "my host", "a name or an address"],
    ["DEMO", "yes", "must be 0 or 1"],
    ["LOG_LEVEL", "loud", "one of trace, debug, info, warn, error, fatal, silent"],
    ["PUBLIC_URL", "gateway.example.com", "an origin such as https://gateway.example.com"],
    ["PUBLIC_URL", "https://example.com/gateway", "the default: the URL it listens on"],
    ["TRUSTED_PROXIES", "-1", "from 0 to 32 (proxies)"],
    ["REQUIRE_VERIFIED_EMAIL", "off", "must be 0 or 1"],
    ["ROTATE_SECRET_AFTER_SECONDS", "0", "unset it for the default: never."],
    ["SUMMARY_METRICS", "soc,,voltage", "names such as soc,bms.voltage"],
    ["MAIL_FROM", "Device Gateway", "must be an address"],
    ["DG_TOKEN_TTL_SECONDS", "60", "from 300 to 604800 (seconds)"],
    ["DG_LIMIT_HASHES_IN_FLIGHT", "0", "from 1 to 64 (hashes)"],
  ])("reports what is wrong with %s=%s", (name, value, sentence) => {
    const [problem, ...others] = problemsOf({ [name]: value });
    expect(problem).toContain(`${name} is "${value}"`);
    expect(problem).toContain(sentence);
    expect(others).toEqual([]);
  });

  it.each(Object.values(limitVariables))("refuses %s=-1", (name) => {
    expect(problemsOf({ [name]: "-1" })[0]).toContain(`${name} is "-1"`);
  });

  it("reports all problems at once", () => {
    expect(problemsOf({ PORT: "x", DEMO: "x", DG_LIMIT_BODY_BYTES: "x" })).toHaveLength(3);
  });

  it("warns of unknown variables and suggests the closest name", () => {
    const reading = readSettings({ DG_LIMIT_BODY_BYTE: "1", DG_Q: "1", OTHER: "1" });
    expect(reading.warnings).toEqual([
      "DG_LIMIT_BODY_BYTE is not a setting and has no effect. Did you mean DG_LIMIT_BODY_BYTES?",
      "DG_Q is not a setting and has no effect.",
    ]);
  });
});

it.each([
  ["DATABASE_URL", "postgres"],
  ["DATABASE_READ_URL", "postgres"],
  ["TELEMETRY_SINK_URL", "http"],
  ["SMTP_URL", "smtps"],
])("%s with an undecodable password is refused and never shown", (name, scheme) => {
  const reading = readSettings({
    DATABASE_URL: "postgres://u@db/g",
    [name]: `${scheme}://u:100%sure@example.com/g`,
  });
  expect(reading).toMatchObject({
    kind: "unusable",
    problems: [
      `${name} has a % that is not part of a valid escape, such as in the password. Write % as %25.`,
    ],
  });
});

it("a setting that has no effect without another one is refused", () => {
  const read = (environment: Record<string, string>) => readSettings(environment).kind;
  const url = "postgres://user:a-strong-password@db.example.com:5432/name";
  expect(readSettings({ DATABASE_READ_URL: url })).toMatchObject({
    kind: "unusable",
    problems: [
      "DATABASE_READ_URL has no effect without DATABASE_URL. Set DATABASE_URL or unset it.",
    ],
  });
  expect(read({ DATABASE_READ_URL: url, DATABASE_URL: url })).toBe("usable");
  expect(read({ DATABASE_SYNCHRONOUS_STANDBY: "1" })).toBe("unusable");
  expect(read({ DATABASE_SYNCHRONOUS_STANDBY: "0" })).toBe("usable");
  expect(read({ DATABASE_POOL_SIZE: "20" })).toBe("unusable");
  expect(read({ DATABASE_READ_LAG_SECONDS: "20", DATABASE_URL: url })).toBe("unusable");
});

it.each([
  [{ WEBHOOKS_OF_OWNERS: "1" }, "WEBHOOKS_OF_OWNERS has no effect without WEBHOOKS."],
  [
    { WEBHOOKS_OF_OWNERS: "1", WEBHOOKS: "0" },
    "WEBHOOKS_OF_OWNERS has no effect without WEBHOOKS.",
  ],
  [
    { FIRMWARE_DIR: "images", DATABASE_URL: "postgres://db.example/g" },
    "FIRMWARE_DIR has no effect with DATABASE_URL.",
  ],
])("a setting that the others make ineffective is refused: %j", (environment, sentence) => {
  expect(problemsOf(environment)).toEqual([expect.stringContaining(sentence)]);
});

it.each([
  [{ PRESENCE_EVENTS: "1", ALERTS: "0" }, ["PRESENCE_EVENTS has no effect with ALERTS=0."]],
  [
    { OPERATOR_EMAILS: "a@b.example", OPERATORS_NEED_SECOND_FACTOR: "1", ACCOUNTS: "0" },
    [
      "OPERATOR_EMAILS has no effect with ACCOUNTS=0.",
      "OPERATORS_NEED_SECOND_FACTOR has no effect with ACCOUNTS=0.",
    ],
  ],
  [{ SMTP_URL: "smtp://mail.example", ACCOUNTS: "0" }, ["SMTP_URL has no effect with ACCOUNTS=0."]],
  [
    { ALERT_FLEET_SILENCE_PERCENT: "50", ALERTS: "0" },
    ["ALERT_FLEET_SILENCE_PERCENT has no effect with ALERTS=0."],
  ],
  [
    { MAIL_FROM: "gateway@localhost", METRICS_HOST: "0.0.0.0" },
    [
      "MAIL_FROM has no effect without SMTP_URL.",
      "METRICS_HOST has no effect without METRICS_PORT.",
    ],
  ],
])(
  "a setting of a part that is switched off or not set up is a warning: %j",
  (environment, warnings) => {
    expect(readSettings(environment)).toMatchObject({ kind: "usable", warnings });
  },
);

it.each([
  { WEBHOOKS_OF_OWNERS: "1", WEBHOOKS: "1" },
  { WEBHOOKS_OF_OWNERS: "0" },
  // The command `webhooks` uses it also while the server sends none.
  { WEBHOOKS_INTRANET: "1" },
  { PRESENCE_EVENTS: "1" },
  { PRESENCE_EVENTS: "0", ALERTS: "0" },
  { OPERATOR_EMAILS: "a@b.example", OPERATORS_NEED_SECOND_FACTOR: "1" },
  { OPERATORS_NEED_SECOND_FACTOR: "0", SMTP_URL: "", ACCOUNTS: "0" },
  { FIRMWARE_DIR: "images" },
  { METRICS_HOST: "0.0.0.0", METRICS_PORT: "0" },
  { MAIL_FROM: "Acme, Inc. <gateway@acme.example>", SMTP_URL: "smtp://mail.example" },
  // The defaults.
  { DATABASE_CELLS: "1", DATABASE_POOL_SIZE: "10", METRICS_HOST: "127.0.0.1" },
])("settings that have an effect or do no harm are accepted: %j", (environment) => {
  expect(readSettings(environment)).toMatchObject({ kind: "usable", warnings: [] });
});
