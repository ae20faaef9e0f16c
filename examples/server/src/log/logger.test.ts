import { describe, expect, it } from "vitest";
import { createLogger } from "./logger.js";

function logTo(readable = false) {
  const lines: string[] = [];
  const write = (line: string) => lines.push(line);
  return { logger: createLogger({ level: "debug", readable, coloured: false, write }), lines };
}

const planted = "planted-0a1b2c3d4e5f";
const jwt = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.${planted}`;

describe("the log", () => {
  it.each([
    ["a header", { headers: { authorization: `Bearer ${planted}` } }],
    ["a header of any case", { headers: { Authorization: planted, "Set-Cookie": [planted] } }],
    ["a cookie", { req: { headers: { cookie: `session=${planted}` } } }],
    ["a nested body", { a: { b: [{ c: { deviceSecret: planted, claimCode: planted } }] } }],
    ["a token in a response", { response: { token: planted } }],
    ["other spellings", { device_secret: planted, "claim-code": planted }],
    ["an error's message", { err: new Error(`refused: Bearer ${planted}`) }],
    [
      "an error's own fields",
      { err: Object.assign(new Error("x"), { config: { token: planted } }) },
    ],
    ["an error's cause", { err: new Error("x", { cause: new Error(`token=${planted}`) }) }],
    ["a body quoted in text", { reason: `{"deviceSecret":"${planted}","x":1}` }],
    ["a body with spaces quoted in text", { reason: `{"claimCode":"ABCD ${planted} 2345"}` }],
    ["a body that ends too soon", { reason: `{"claimCode":"ABCD ${planted}` }],
    ["a body quoted twice", { reason: JSON.stringify(`{"password":"a 'b' ${planted}"}`) }],
    ["a value with an escaped quote", { reason: JSON.stringify({ password: `a" ${planted}` }) }],
    ["a token in text", { reason: `the token ${jwt} has expired` }],
    ["settings", { settings: { CUSTOMER_JWT_SECRET: planted } }],
    ["a setting in text", { reason: `CUSTOMER_JWT_SECRET=${planted}` }],
    ["secrets of the server", { secrets: { pepper: planted, tokenKeys: [{ jwk: planted }] } }],
  ])("censors %s", (_, fields) => {
    for (const readable of [false, true]) {
      const { logger, lines } = logTo(readable);
      logger.info(fields, "Something happened");
      expect(lines.join("")).toContain("Something happened");
      expect(lines.join("")).toContain("[redacted]");
      expect(lines.join("")).not.toContain(planted);
    }
  });

  it("keeps the text after a quoted secret", () => {
    const { logger, lines } = logTo();
    logger.info({ reason: `{"claimCode":"ABCD EFGH","deviceId":"gw-1"}` }, "Refused");
    expect(JSON.parse(lines[0] ?? "").reason).toBe(`{"claimCode":"[redacted]","deviceId":"gw-1"}`);
  });

  it("censors the message and the fields of child loggers", () => {
    const { logger, lines } = logTo();
    logger.child({ claimCode: planted }).warn(`Authorization: Bearer ${planted}`);
    expect(lines.join("")).not.toContain(planted);
  });

  it("writes one JSON object a line, with other fields unchanged", () => {
    const { logger, lines } = logTo();
    logger.info({ path: "/x", tokenType: "Bearer", token: planted }, "Token given");
    logger.info({ path: "/x", status: 200 }, "Request answered");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { path: "/x", tokenType: "Bearer", token: "[redacted]", msg: "Token given" },
      { path: "/x", status: 200, msg: "Request answered" },
    ]);
    for (const line of lines) {
      expect(JSON.parse(line).time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
    expect(lines.every((line) => line.endsWith("}\n"))).toBe(true);
  });

  const evil = "a\u001b[2J\u009b1A\r\n[12:00:00] INFO: forged\u2028\u202e";
  const forge = (logger: ReturnType<typeof logTo>["logger"]) =>
    logger.info({ path: evil, [evil]: [{ deep: evil }], err: new Error(evil) }, evil);

  it("writes one line of JSON for each entry, and a JSON parser restores the original text", () => {
    const { logger, lines } = logTo();
    forge(logger);
    expect(lines.join("")).not.toMatch(/(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
    expect(lines.join("").match(/\n/g)).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      ...{ path: evil, [evil]: [{ deep: evil }], err: { message: evil }, msg: evil },
    });
  });

  it.each([false, true])(
    "cannot be used to send commands to a terminal or to forge entries (coloured: %s)",
    (coloured) => {
      const lines: string[] = [];
      const write = (line: string) => void lines.push(line);
      forge(createLogger({ level: "debug", readable: true, coloured, write }));
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the logger's own colours.
      const text = lines.join("").replaceAll(/\u001b\[\d+m/g, "");
      expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
      // The lines of a stack are indented.
      expect(text.match(/^\[\d/gm)).toHaveLength(1);
    },
  );

  it("has a readable form for people", () => {
    const { logger, lines } = logTo(true);
    logger.info({ port: 1 }, "Ready");
    expect(lines.join("")).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: Ready \{"port":1\}\n$/);
  });
});
