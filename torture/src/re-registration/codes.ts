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

/** Codes that are nearly right, or look it, or are no codes at all. */
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

/** As the contract normalises codes (§1), written a second time. */
export const normalise = (code: string) =>
  [...code.toUpperCase()].filter((c) => !/[\s-]/.test(c)).join("");

/** The right code in somebody's own spelling. */
function spell(code: string, dice: Dice): string {
  const cased = dice.chance(0.5) ? code.toLowerCase() : code;
  return [...cased]
    .map((c) => (dice.chance(0.2) ? `${c}${dice.pick(["-", " ", "--"])}` : c))
    .join("");
}

/** What an attacker might give for the code. */
export function pickCode(victim: Victim, dice: Dice): unknown {
  const code = victim.code ?? "ABCDEFGH";
  return dice.pick<() => unknown>([
    () => undefined,
    () => nearCode(code, dice),
    () => nearCode(code, dice),
    () => nearCode(code, dice),
    // Read off the label by somebody who once held the device in their hands.
    () => spell(code, dice),
    () => "",
    () => "----",
    () => null,
    () => [code],
    () => ({ $ne: "" }),
    () => victim.deviceId,
  ])();
}
