import { useEffect, useState } from "preact/hooks";
import { readDemoMails } from "../api/account-calls.js";
import { isDemoOpen } from "../session.js";
import type { DemoMailsAnswer } from "../site-answer.js";
import { formatTime } from "../ui/format.js";
import { Card, EmptyState } from "../ui/parts.js";
import { useTitle } from "../ui/title.js";

const linkPattern = /(https?:\/\/\S+)/;

const MailText = ({ text }: { text: string }) => (
  <p class="mail">
    {text.split(linkPattern).map((part) => (linkPattern.test(part) ? <a href={part}>{part}</a> : part))}
  </p>
);

/** The mails that the demo delivers to nobody. */
export function MailsPage() {
  useTitle("Mails of the demo");
  const [mails, setMails] = useState<DemoMailsAnswer["mails"] | undefined>();
  useEffect(() => {
    const read = () => void readDemoMails().then(setMails);
    read();
    const timer = setInterval(read, 3000);
    return () => clearInterval(timer);
  }, []);
  return (
    <div class="stack medium">
      <div class="stack-small">
        <h1>Mails of the demo</h1>
        <p class="muted">
          The demo has no mail server, so it shows its mails here. Set SMTP_URL to have them
          delivered.
        </p>
      </div>
      {mails?.map(({ to, subject, text, at }) => (
        <Card title={subject} actions={<span class="small muted">{formatTime(at)}</span>} key={at}>
          <p class="small muted">To {to}</p>
          <MailText text={text} />
        </Card>
      ))}
      {mails?.length === 0 && (
        <Card>
          {isDemoOpen.value ? (
            <EmptyState title="No mail yet">
              <p>Create an account or ask for a new password: the mail comes here.</p>
            </EmptyState>
          ) : (
            <EmptyState title="Open the demo first">
              <p>
                Follow the link that the server printed when it started: it ends with{" "}
                <code>#demo=…</code>
              </p>
            </EmptyState>
          )}
        </Card>
      )}
    </div>
  );
}
