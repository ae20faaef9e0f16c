import type { WebhookAnswer } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { call } from "../api/call.js";
import { OperatorsOnly } from "../pages/operator/operators-only.js";
import { Link, navigate } from "../router.js";
import { isOperator, mayHaveWebhooks } from "../session.js";
import * as webhooksText from "../text/webhooks.js";
import { formatDate } from "../ui/format.js";
import { Card, EmptyState, ErrorNotice, Skeleton } from "../ui/parts.js";
import { useTitle } from "../ui/title.js";
import { useLoad } from "../ui/use-load.js";
import { type CreatedWebhook, CreateWebhook } from "./create-webhook.js";
import { SecretDialog } from "./secret-dialog.js";
import { WebhookState } from "./webhook-state.js";

export const webhookPath = (id: string) => `/webhooks/${encodeURIComponent(id)}`;

/** Says which events a webhook gets. */
export function describeFilter({ filter: { kinds } }: WebhookAnswer): string {
  return kinds.length === 0 ? webhooksText.allEvents : webhooksText.someEvents(kinds);
}

const Entry = ({ webhook }: { readonly webhook: WebhookAnswer }) => (
  <li class="entry">
    <div class="entry-text">
      <h3 class="line break">
        <Link to={webhookPath(webhook.id)}>{webhook.url}</Link> <WebhookState webhook={webhook} />
      </h3>
      <p class="small muted break">
        {describeFilter(webhook)} · {webhooksText.createdAt(formatDate(webhook.createdAt))}
      </p>
    </div>
  </li>
);

function Webhooks() {
  const scope = isOperator.value ? "operator" : "own";
  const { value, failure, reload } = useLoad(`webhooks/${scope}`, (signal) =>
    call("listWebhooks", { query: { scope }, signal }),
  );
  const [creating, setCreating] = useState(false);
  const [created, setCreated] = useState<CreatedWebhook | undefined>();
  if (failure?.code === "webhooks_not_enabled") {
    return (
      <Card>
        <EmptyState title={webhooksText.notEnabled}>
          <p>{webhooksText.notEnabledHint}</p>
        </EmptyState>
      </Card>
    );
  }
  const isEmpty = value?.webhooks.length === 0;
  return (
    <Card
      title={webhooksText.title}
      flush
      actions={
        value &&
        !isEmpty && (
          <button type="button" class="button small" onClick={() => setCreating(true)}>
            {webhooksText.create}
          </button>
        )
      }
    >
      <ErrorNotice failure={failure} retry={reload} />
      {value === undefined && failure === undefined && <Skeleton height={160} />}
      {isEmpty && (
        <EmptyState
          title={webhooksText.noneYet}
          actions={
            <button type="button" class="button primary" onClick={() => setCreating(true)}>
              {webhooksText.createFirst}
            </button>
          }
        >
          <p>{scope === "own" ? webhooksText.noneYetOfOwnerHint : webhooksText.noneYetHint}</p>
        </EmptyState>
      )}
      {value && !isEmpty && (
        <ul class="entries">
          {value.webhooks.map((webhook) => (
            <Entry key={webhook.id} webhook={webhook} />
          ))}
        </ul>
      )}
      {creating && (
        <CreateWebhook
          scope={scope}
          kinds={value?.kinds ?? []}
          onClose={(made) => {
            setCreating(false);
            setCreated(made);
            if (made) reload();
          }}
        />
      )}
      {created && (
        <SecretDialog
          secret={created.secret}
          onClose={() => {
            setCreated(undefined);
            navigate(webhookPath(created.id));
          }}
        />
      )}
    </Card>
  );
}

/** Lists the operators' webhooks, or an owner's. */
export function WebhooksPage() {
  useTitle(webhooksText.title);
  if (!mayHaveWebhooks.value) return <OperatorsOnly />;
  return (
    <>
      <div class="head">
        <div class="head-text">
          <h1>{webhooksText.title}</h1>
          <p class="muted">{isOperator.value ? webhooksText.hint : webhooksText.ofOwnerHint}</p>
        </div>
      </div>
      <Webhooks />
    </>
  );
}
