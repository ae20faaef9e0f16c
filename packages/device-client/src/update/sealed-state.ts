import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { initialState, type UpdateState } from "./machine/update-state.js";

const digest = (text: string) => bytesToHex(sha256(utf8ToBytes(text)));

/** Formats the state for storage: its SHA-256, a newline, its JSON. */
export function sealState(state: UpdateState): string {
  const text = JSON.stringify(state);
  return `${digest(text)}\n${text}`;
}

/** Lower than every confirmed version. */
const noVersion = "0.0.0";

/** Parses a stored state. Returns that of a device without a confirmed version if it is missing or damaged. */
export function unsealState(sealed: string | null): UpdateState {
  const [seal = "", text = ""] = sealed?.split("\n", 2) ?? [];
  if (seal !== digest(text)) return initialState(noVersion);
  // The hash proves that an updater wrote this text. Another format is from another version.
  const state = JSON.parse(text) as UpdateState | { format: unknown };
  return state.format === 1 ? (state as UpdateState) : initialState(noVersion);
}
