import { readDemoMails } from "../../api/site-calls.js";
import { isDemoOpen } from "../../session.js";
import * as signInText from "../../text/sign-in.js";
import { formatTime } from "../../ui/format.js";
import { Card, EmptyState } from "../../ui/parts.js";
import { StaleNotice } from "../../ui/stale-notice.js";
import { useTitle } from "../../ui/title.js";
import { useLoad, useRefreshed } from "../../ui/use-load.js";

const linkPattern = /(https?:\/\/\S+)/;

const MailText = ({ text }: { text: string }) => (
  <p class="mail">
    {text
      .split(linkPattern)
      .map((part) => (linkPattern.test(part) ? <a href={part}>{part}</a> : part))}
  </p>
);

/** Shows the e-mails that the demo keeps instead of sending. */
export function MailsPage() {
  useTitle(signInText.demoEmails);
  const loaded = useRefreshed(useLoad("mails", readDemoMails), 3_000);
  const mails = loaded.value;
  return (
    <div class="stack medium">
      <div class="stack-small">
        <h1>{signInText.demoEmails}</h1>
        <p class="muted">{signInText.demoEmailsHint}</p>
      </div>
      <StaleNotice {...loaded} />
      {mails?.map(({ to, subject, text, at }) => (
        <Card title={subject} actions={<span class="small muted">{formatTime(at)}</span>} key={at}>
          <p class="small muted">{signInText.mailTo(to)}</p>
          <MailText text={text} />
        </Card>
      ))}
      {mails?.length === 0 && (
        <Card>
          {isDemoOpen.value ? (
            <EmptyState title={signInText.noEmailsYet}>
              <p>{signInText.noEmailsHint}</p>
            </EmptyState>
          ) : (
            <EmptyState title={signInText.openTheDemoFirst}>
              <p>{signInText.openDemoHint}</p>
            </EmptyState>
          )}
        </Card>
      )}
    </div>
  );
}
