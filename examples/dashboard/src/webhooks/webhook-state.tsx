import type { WebhookAnswer } from "@device-gateway/core/contract";
import * as webhooksText from "../text/webhooks.js";
import { formatTime } from "../ui/format.js";
import { Status } from "../ui/parts.js";

/** Shows whether a webhook is enabled, and whether its attempts fail. */
export function WebhookState({ webhook }: { readonly webhook: WebhookAnswer }) {
  if (!webhook.enabled) return <Status tone="plain">{webhooksText.stateDisabled}</Status>;
  if (webhook.failingSince === null)
    return <Status tone="good">{webhooksText.stateEnabled}</Status>;
  return <Status tone="bad">{webhooksText.stateFailing(formatTime(webhook.failingSince))}</Status>;
}
