import { computed, signal } from "@preact/signals";
import type { SiteAnswer } from "./site-answer.js";

/** What the server says of itself and of who is signed in; undefined until it has answered. */
export const site = signal<SiteAnswer | "unreachable" | undefined>(undefined);

const answered = computed(() => (typeof site.value === "object" ? site.value : undefined));
export const account = computed(() => answered.value?.account ?? null);
export const demo = computed(() => answered.value?.demo ?? null);
/** Whether this browser has opened the demo's link since the server started. */
export const isDemoOpen = computed(() => demo.value?.open === true);
export const isOperator = computed(() => account.value?.operator === true);
