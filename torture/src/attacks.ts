import type { Attack } from "./attack.js";
import { c1 } from "./c1.js";
import { neighbours } from "./neighbours.js";
import { r1 } from "./r1.js";
import { r2 } from "./r2.js";
import { r3 } from "./r3.js";
import { r4 } from "./r4.js";
import { r5 } from "./r5.js";
import { r6 } from "./r6.js";
import { r7 } from "./r7.js";
import { r8 } from "./r8.js";
import { rollout } from "./rollout.js";
import { s1 } from "./s1.js";
import { s2 } from "./s2.js";
import { s3 } from "./s3.js";
import { s4 } from "./s4.js";
import { s5 } from "./s5.js";
import { s6 } from "./s6.js";
import { s7 } from "./s7.js";
import { s8 } from "./s8.js";
import { year } from "./year.js";

/** Every attack by the name of its bar, kills of a client, a rollout that fails, a year of telemetry. */
export const attacks: Readonly<Record<string, Attack>> = {
  r1,
  r2,
  r3,
  r4,
  r5,
  r6,
  r7,
  r8,
  s1,
  s2,
  s3,
  s4,
  s5,
  s6,
  s7,
  s8,
  neighbours,
  c1,
  rollout,
  year,
};
