import type { Attack } from "./attack.js";
import { r5 } from "./r5.js";
import { rollout } from "./rollout.js";
import { s1 } from "./s1.js";
import { s2 } from "./s2.js";
import { s3 } from "./s3.js";
import { s4 } from "./s4.js";
import { s5 } from "./s5.js";

/** Every attack by the name of its bar. */
export const attacks: Readonly<Record<string, Attack>> = { s1, s2, s3, s4, s5, r5, rollout };
