import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeFieldKey, escapeMeasurement, escapeTagValue } from "./escape-name.js";

/**
 * Reads names as InfluxDB does: a backslash before a comma, an equals sign or a space is an escape, else a character.
 */
function readUntil(text: string, ends: string): { name: string; rest: string } {
  let name = "";
  for (let n = 0; n < text.length; n++) {
    const [char, next] = [text[n] as string, text[n + 1]];
    if (char === "\\" && next !== undefined && ",= ".includes(next)) {
      name += next;
      n += 1;
    } else if (ends.includes(char)) {
      return { name, rest: text.slice(n) };
    } else {
      name += char;
    }
  }
  return { name, rest: "" };
}

const names = fc.string({ unit: fc.constantFrom(..."a.B\\ ,=\"'é\n\t#") });

describe("escaping names", () => {
  it.each([
    ["bms.voltage", "bms.voltage"],
    ["a b", "a\\ b"],
    ["a,b=c", "a\\,b\\=c"],
    ["a\\.b", "a\\.b"],
    ["a\\\\", "a\\/"],
    ["a\\ b", "a/\\ b"],
    ["a\nb\tc", "a_b_c"],
    ["time", "time_"],
    ["deviceId", "deviceId_"],
    ["hardware", "hardware_"],
    ["", "_"],
    ['say "x"', 'say\\ "x"'],
  ])("the metric %j is the field %s", (name, key) => {
    expect(escapeFieldKey(name)).toBe(key);
  });

  it("a measurement keeps its equals signs", () => {
    expect(escapeMeasurement("my data,a=b")).toBe("my\\ data\\,a=b");
  });

  it("any name is read back whole, except for what line protocol cannot express", () => {
    fc.assert(
      fc.property(names, fc.constantFrom("=", ",", " "), (name, end) => {
        const { name: read, rest } = readUntil(`${escapeTagValue(name)}${end}rest`, ",= ");
        expect(rest).toBe(`${end}rest`);
        expect(read).toBe(name.replace(/[\n\t]/g, "_").replace(/\\(?=[,= ]|$)/g, "/"));
      }),
    );
  });
});
