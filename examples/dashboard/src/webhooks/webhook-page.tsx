import type { WebhookAnswer } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { type CallFailure, call, type Reply } from "../api/call.js";
import { OperatorsOnly } from "../pages/operator/operators-only.js";
import { Link, navigate } from "../router.js";
import { mayHaveWebhooks } from "../session.js";
import * as webhooksText from "../text/webhooks.js";
import { Confirm } from "../ui/confirm.js";
import { formatTime } from "../ui/format.js";
import { Card, EmptyState, ErrorNotice, Skeleton } from "../ui/parts.js";
import { useTitle } from "../ui/title.js";
import { showToast } from "../ui/toast.js";
import { useLoad } from "../ui/use-load.js";
import { Deliveries, useAttempts } from "./deliveries.js";
import { ReplayForm } from "./replay-form.js";
import { SecretDialog } from "./secret-dialog.js";
import { Undelivered, useUndelivered } from "./undelivered.js";
import { WebhookState } from "./webhook-state.js";
import { describeFilter } from "./webhooks-page.js";

function Facts({ webhook }: { readonly webhook: WebhookAnswer }) {
  const { filter, createdAt, disabledReason } = webhook;
  const facts: readonly (readonly [string, string])[] = [
    [webhooksText.filter, describeFilter(webhook)],
    [webhooksText.hardware, filter.targetHardware.join(", ") || webhooksText.anyHardware],
    [webhooksText.created, formatTime(createdAt)],
    ...(disabledReason === null ? [] : [[webhooksText.disabledReason, disabledReason] as const]),
  ];
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd class="break">{value}</dd>
        </>
      ))}
    </dl>
  );
}

type Asking = "rotate" | "remove";

interface ActionsProps {
  readonly webhook: WebhookAnswer;
  readonly reload: () => void;
  /** Called when an attempt is expected soon. */
  readonly onSent: () => void;
}

function Actions({ webhook, reload, onSent }: ActionsProps) {
  const [asking, setAsking] = useState<Asking | undefined>();
  const [secret, setSecret] = useState<string | undefined>();
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const params = { webhookId: webhook.id };
  const run = async <Value,>(sent: Promise<Reply<Value>>, done: (value: Value) => void) => {
    const reply = await sent;
    setAsking(undefined);
    setFailure(reply.ok ? undefined : reply.failure);
    if (reply.ok) done(reply.value);
  };
  const setEnabled = (enabled: boolean) =>
    run(call("changeWebhook", { params, body: { enabled } }), () => {
      showToast(enabled ? webhooksText.enabledToast : webhooksText.disabledToast);
      reload();
    });
  const test = () =>
    run(call("testWebhook", { params }), () => {
      showToast(webhooksText.testSent);
      onSent();
    });
  return (
    <>
      <div class="actions">
        {webhook.enabled ? (
          <>
            <button type="button" class="button primary" onClick={() => void test()}>
              {webhooksText.sendTest}
            </button>
            <button type="button" class="button" onClick={() => void setEnabled(false)}>
              {webhooksText.disable}
            </button>
          </>
        ) : (
          <button type="button" class="button primary" onClick={() => void setEnabled(true)}>
            {webhooksText.enable}
          </button>
        )}
        <button type="button" class="button" onClick={() => setAsking("rotate")}>
          {webhooksText.rotate}
        </button>
        <button type="button" class="button danger" onClick={() => setAsking("remove")}>
          {webhooksText.remove}
        </button>
      </div>
      <ErrorNotice failure={failure} />
      {asking === "rotate" && (
        <Confirm
          title={webhooksText.rotateTitle}
          action={webhooksText.rotate}
          onConfirm={() =>
            void run(call("rotateWebhookSecret", { params }), ({ secret: made }) => setSecret(made))
          }
          onCancel={() => setAsking(undefined)}
        >
          <p class="muted">{webhooksText.rotateHint}</p>
        </Confirm>
      )}
      {asking === "remove" && (
        <Confirm
          title={webhooksText.removeTitle}
          action={webhooksText.removeWebhook}
          onConfirm={() =>
            void run(call("removeWebhook", { params }), () => {
              showToast(webhooksText.removedToast);
              navigate("/webhooks", { replace: true });
            })
          }
          onCancel={() => setAsking(undefined)}
        >
          <p class="muted">{webhooksText.removeHint}</p>
        </Confirm>
      )}
      {secret !== undefined && (
        <SecretDialog secret={secret} onClose={() => setSecret(undefined)} />
      )}
    </>
  );
}

/** How long after an action the attempts and messages are read again. The server sends each second. */
const sendMs = 2_000;

function Details({ webhookId }: { readonly webhookId: string }) {
  const { value, failure, reload } = useLoad(webhookId, (signal) =>
    call("readWebhook", { params: { webhookId }, signal }),
  );
  const attempts = useAttempts(webhookId);
  const messages = useUndelivered(webhookId);
  if (failure?.code === "webhook_not_found") {
    return (
      <EmptyState
        whole
        title={webhooksText.notFound}
        actions={
          <Link to="/webhooks" class="button primary">
            {webhooksText.allWebhooks}
          </Link>
        }
      >
        <p>{webhooksText.notFoundHint}</p>
      </EmptyState>
    );
  }
  if (failure) return <ErrorNotice failure={failure} retry={reload} />;
  if (value === undefined) return <Skeleton height={320} />;
  const { webhook } = value;
  const readAgain = () => {
    attempts.reload();
    messages.reload();
  };
  const readSoon = () => void setTimeout(readAgain, sendMs);
  return (
    <>
      <div class="head">
        <div class="head-text">
          <h1 class="break">{webhook.url}</h1>
          <p class="device-line">
            <WebhookState webhook={webhook} />
            <Link to="/webhooks">{webhooksText.allWebhooks}</Link>
          </p>
        </div>
      </div>
      <div class="stack">
        <Card>
          <div class="stack">
            <Facts webhook={webhook} />
            <Actions webhook={webhook} reload={reload} onSent={readSoon} />
          </div>
        </Card>
        <Deliveries {...attempts} reload={readAgain} />
        <Undelivered webhookId={webhookId} messages={messages} onSent={readSoon} />
        <ReplayForm webhookId={webhookId} onDone={readSoon} />
      </div>
    </>
  );
}

/** A webhook of the operators or of the user: its state, its deliveries and its dead letters. */
export function WebhookPage({ webhookId }: { readonly webhookId: string }) {
  useTitle(webhooksText.titleOf);
  return mayHaveWebhooks.value ? (
    <Details key={webhookId} webhookId={webhookId} />
  ) : (
    <OperatorsOnly />
  );
}
