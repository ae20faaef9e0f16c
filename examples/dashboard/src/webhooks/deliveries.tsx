import type { WebhookAttemptAnswer } from "@device-gateway/core/contract";
import { call } from "../api/call.js";
import * as webhooksText from "../text/webhooks.js";
import { formatTime } from "../ui/format.js";
import { Card, EmptyState, ErrorNotice, Skeleton, Status } from "../ui/parts.js";
import type { Loaded } from "../ui/use-load.js";
import { useLoad } from "../ui/use-load.js";

/** Loads the latest attempts of a webhook. */
export const useAttempts = (webhookId: string) =>
  useLoad(`attempts/${webhookId}`, (signal) =>
    call("listWebhookAttempts", { params: { webhookId }, query: { limit: 50 }, signal }),
  );

function Row({ attempt }: { readonly attempt: WebhookAttemptAnswer }) {
  const { at, status, error, response, durationMs, messageId } = attempt;
  const words = status === null ? webhooksText.noResponse : String(status);
  return (
    <li class="entry">
      <div class="entry-text">
        <p class="line">
          <Status tone={error === null ? "good" : "bad"}>
            {error === null ? webhooksText.arrived(words) : webhooksText.failedWith(words)}
          </Status>
          <time class="small muted" dateTime={at}>
            {formatTime(at)}
          </time>
          <span class="small muted">{webhooksText.milliseconds(Math.round(durationMs))}</span>
        </p>
        <p class="small muted break mono">{messageId}</p>
        {error !== null && <p class="small break">{error}</p>}
        {response !== "" && (
          <details>
            <summary class="small">{webhooksText.response}</summary>
            <pre class="small break response">{response}</pre>
          </details>
        )}
      </div>
    </li>
  );
}

type Attempts = Loaded<{ readonly attempts: readonly WebhookAttemptAnswer[] }>;

/** Lists the latest attempts of a webhook, with the status and the response. */
export const Deliveries = ({ value, failure, reload }: Attempts) => (
  <Card
    title={webhooksText.attempts}
    hint={webhooksText.attemptsHint}
    flush
    actions={
      <button type="button" class="button small" onClick={reload}>
        {webhooksText.refresh}
      </button>
    }
  >
    <ErrorNotice failure={failure} retry={reload} />
    {value === undefined && failure === undefined && <Skeleton height={120} />}
    {value?.attempts.length === 0 && (
      <EmptyState title={webhooksText.noAttempts}>
        <p>{webhooksText.noAttemptsHint}</p>
      </EmptyState>
    )}
    {value && value.attempts.length > 0 && (
      <ul class="entries">
        {value.attempts.map((attempt) => (
          <Row key={`${attempt.messageId} ${attempt.at}`} attempt={attempt} />
        ))}
      </ul>
    )}
  </Card>
);
