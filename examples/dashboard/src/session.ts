import { computed, signal } from "@preact/signals";
import type { SiteAnswer } from "./site-answer.js";

/** The server's latest response about the site and the signed-in user. Undefined until the first response. */
export const site = signal<SiteAnswer | "unreachable" | undefined>(undefined);

const answered = computed(() => (typeof site.value === "object" ? site.value : undefined));
export const account = computed(() => answered.value?.account ?? null);
export const demo = computed(() => answered.value?.demo ?? null);
/** Whether this browser has opened the demo link since the server started. */
export const isDemoOpen = computed(() => demo.value?.open === true);
export const isOperator = computed(() => account.value?.operator === true);
/** Whether the user can have webhooks: operators always, owners by a setting of the server. */
export const mayHaveWebhooks = computed(
  () => isOperator.value || answered.value?.webhooksOfOwners === true,
);
