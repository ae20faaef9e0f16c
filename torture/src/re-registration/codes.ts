import type { Dice } from "../dice.js";
import type { Victim } from "./victim.js";

const lookAlikes: Readonly<Record<string, string>> = {
  O: "0",
  "0": "O",
  I: "1",
  "1": "I",
  S: "5",
  "5": "S",
  B: "8",
  "8": "B",
};

/** Returns a code that is nearly correct, looks correct or is malformed. */
function nearCode(code: string, dice: Dice): string {
  const at = dice.int(code.length);
  const with_ = (letter: string) => code.slice(0, at) + letter + code.slice(at + 1);
  return dice.pick<() => string>([
    () => with_(dice.code(1)),
    () => with_(lookAlikes[code[at] ?? ""] ?? "Z"),
    () => code.slice(0, -1),
    () => `${code}${dice.code(1)}`,
    () => code.slice(1) + (code[0] ?? ""),
    () => [...code].reverse().join(""),
    () => with_("*"),
    () => with_("%"),
    () => with_("_"),
    () => `${code}\0`,
    () => `${code}' OR '1'='1`,
    () => dice.code(code.length),
    () => dice.code(8),
    () => code + code,
    () => code.replaceAll(/./g, "A"),
  ])();
}

/** Normalises a code as §1 says. Implemented again, independently of the gateway. */
export const normalise = (code: string) =>
  [...code.toUpperCase()].filter((c) => !/[\s-]/.test(c)).join("");

/** Writes the correct code in another spelling. */
function spell(code: string, dice: Dice): string {
  const cased = dice.chance(0.5) ? code.toLowerCase() : code;
  return [...cased]
    .map((c) => (dice.chance(0.2) ? `${c}${dice.pick(["-", " ", "--"])}` : c))
    .join("");
}

/** Picks what an attacker sends as the code. */
export function pickCode(victim: Victim, dice: Dice): unknown {
  const code = victim.code ?? "ABCDEFGH";
  return dice.pick<() => unknown>([
    () => undefined,
    () => nearCode(code, dice),
    () => nearCode(code, dice),
    () => nearCode(code, dice),
    // The correct code, read from the label by somebody who once had the device.
    () => spell(code, dice),
    () => "",
    () => "----",
    () => null,
    () => [code],
    () => ({ $ne: "" }),
    () => victim.deviceId,
  ])();
}
