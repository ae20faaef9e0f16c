import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { initialState, type UpdateState } from "./update-state.js";

const digest = (text: string) => bytesToHex(sha256(utf8ToBytes(text)));

/** The record as it is stored: its hash, a newline, its JSON. */
export function sealState(state: UpdateState): string {
  const text = JSON.stringify(state);
  return `${digest(text)}\n${text}`;
}

/** Reads a stored record; one that is missing or damaged is as good as none: it starts anew. */
export function unsealState(sealed: string | null, running: string): UpdateState {
  const [seal = "", text = ""] = sealed?.split("\n", 2) ?? [];
  if (seal !== digest(text)) return initialState(running);
  // Our own words, as the hash says; another format is another program's.
  const state = JSON.parse(text) as UpdateState | { format: unknown };
  return state.format === 1 ? (state as UpdateState) : initialState(running);
}
