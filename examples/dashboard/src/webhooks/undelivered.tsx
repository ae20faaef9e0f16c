import type { WebhookMessageAnswer } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { type CallFailure, call } from "../api/call.js";
import { devicePath, Link } from "../router.js";
import * as webhooksText from "../text/webhooks.js";
import { formatTime } from "../ui/format.js";
import { Card, EmptyState, ErrorNotice, Skeleton } from "../ui/parts.js";
import { showToast } from "../ui/toast.js";
import { useLoad } from "../ui/use-load.js";

interface MessageProps {
  readonly message: WebhookMessageAnswer;
  readonly onRetry?: () => void;
  /** Whether messages are being sent again. */
  readonly busy?: boolean;
}

function Message({ message, onRetry, busy = false }: MessageProps) {
  const { kind, deviceId, eventAt, attempts, dueAt } = message;
  return (
    <li class="entry">
      <div class="entry-text">
        <h3 class="mono small">{kind}</h3>
        <p class="small muted">
          {deviceId !== null && (
            <>
              <Link to={devicePath(deviceId)}>{deviceId}</Link> ·{" "}
            </>
          )}
          {formatTime(eventAt)} · {webhooksText.attemptCount(attempts)}
          {dueAt !== null && ` · ${webhooksText.dueAt(formatTime(dueAt))}`}
        </p>
      </div>
      {onRetry && (
        <div class="actions">
          <button
            type="button"
            class="button small"
            aria-label={webhooksText.retryNamed(kind)}
            aria-disabled={busy}
            onClick={onRetry}
          >
            {webhooksText.retry}
          </button>
        </div>
      )}
    </li>
  );
}

const useMessages = (webhookId: string, state: "waiting" | "dead") =>
  useLoad(`${state}/${webhookId}`, (signal) =>
    call("listWebhookMessages", { params: { webhookId }, query: { state, limit: 50 }, signal }),
  );

type Messages = ReturnType<typeof useMessages>;

/** Loads the messages that wait for another attempt, and those that were given up. */
export function useUndelivered(webhookId: string) {
  const waiting = useMessages(webhookId, "waiting");
  const dead = useMessages(webhookId, "dead");
  const reload = () => {
    waiting.reload();
    dead.reload();
  };
  return { waiting, dead, reload };
}

/** Lists the messages that wait for another attempt. Shows nothing if none waits. */
function Waiting({ value, failure, reload }: Messages) {
  if (failure) return <ErrorNotice failure={failure} retry={reload} />;
  if (!value || value.messages.length === 0) return null;
  return (
    <Card title={webhooksText.waiting} hint={webhooksText.waitingHint} flush>
      <ul class="entries">
        {value.messages.map((message) => (
          <Message key={message.messageId} message={message} />
        ))}
      </ul>
    </Card>
  );
}

/** Why messages were not sent again. */
interface Refused {
  readonly failure: CallFailure;
  /** Undefined: all messages. */
  readonly messageId: string | undefined;
}

interface UndeliveredProps {
  readonly webhookId: string;
  readonly messages: ReturnType<typeof useUndelivered>;
  /** Called when an attempt is expected soon. */
  readonly onSent: () => void;
}

/** Lists the messages that were given up, and sends them again. */
function DeadLetters({ webhookId, messages: both, onSent }: UndeliveredProps) {
  const { value, failure, reload } = both.dead;
  const [refused, setRefused] = useState<Refused | undefined>();
  const [busy, setBusy] = useState(false);
  const retry = async (messageId?: string) => {
    if (busy) return;
    setBusy(true);
    const body = messageId === undefined ? {} : { messageId };
    const reply = await call("retryWebhookMessages", { params: { webhookId }, body });
    setBusy(false);
    setRefused(reply.ok ? undefined : { failure: reply.failure, messageId });
    both.reload();
    if (!reply.ok) return;
    showToast(webhooksText.retried(reply.value.messages));
    onSent();
  };
  const messages = value?.messages ?? [];
  return (
    <Card
      title={webhooksText.dead}
      hint={webhooksText.deadHint}
      flush
      actions={
        messages.length > 1 && (
          <button
            type="button"
            class="button small"
            aria-disabled={busy}
            onClick={() => void retry()}
          >
            {webhooksText.retryAll}
          </button>
        )
      }
    >
      <ErrorNotice failure={failure} retry={reload} />
      {refused && (
        <ErrorNotice failure={refused.failure} retry={() => void retry(refused.messageId)} />
      )}
      {value?.messages.length === 0 && (
        <EmptyState title={webhooksText.noDead}>
          <p>{webhooksText.noDeadHint}</p>
        </EmptyState>
      )}
      {messages.length > 0 && (
        <ul class="entries">
          {messages.map((message) => (
            <Message
              key={message.messageId}
              message={message}
              busy={busy}
              onRetry={() => void retry(message.messageId)}
            />
          ))}
        </ul>
      )}
    </Card>
  );
}

/** Shows the waiting messages and the dead letters of a webhook, both at once, so that neither list moves the other. */
export function Undelivered(props: UndeliveredProps) {
  const { waiting, dead } = props.messages;
  const isLoading = [waiting, dead].some(({ value, failure }) => !value && !failure);
  if (isLoading) return <Skeleton height={120} />;
  return (
    <>
      <Waiting {...waiting} />
      <DeadLetters {...props} />
    </>
  );
}
