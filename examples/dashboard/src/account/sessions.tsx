import { useEffect, useState } from "preact/hooks";
import { callAccounts, readAccounts } from "../api/account-calls.js";
import * as accountText from "../text/account.js";
import { Card, ErrorNotice, Skeleton } from "../ui/parts.js";
import { describeProgram } from "./describe-program.js";

interface Session {
  readonly id: string;
  readonly token: string;
  readonly userAgent?: string | null;
  readonly ipAddress?: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const failed = { message: accountText.sessionsUnread };
const time = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const show = (text: string) => time.format(new Date(text));

interface SessionsProps {
  /** How often the page has changed the sessions. A change reads them again. */
  readonly changes: number;
}

/** Lists the account's sessions with program, address and last use, and ends them. */
export function Sessions({ changes }: SessionsProps) {
  const [sessions, setSessions] = useState<readonly Session[] | undefined>();
  const [current, setCurrent] = useState<string | undefined>();
  const [failure, setFailure] = useState<{ readonly message: string } | undefined>();
  const load = async () => {
    const found = await readAccounts<readonly Session[]>("/list-sessions");
    const own = await readAccounts<{ readonly session: Session } | null>("/get-session");
    setFailure(found === undefined ? failed : undefined);
    setCurrent(own?.session.id);
    setSessions([...(found ?? [])].sort((a, b) => b.updatedAt.localeCompare(a.updatedAt)));
  };
  useEffect(() => void load(), [changes]);
  const end = async (path: string, body: object) => {
    const reply = await callAccounts(path, body);
    if (!reply.ok) return setFailure(reply);
    await load();
  };
  return (
    <Card title={accountText.sessions} hint={accountText.sessionsHint}>
      <div class="stack-small">
        <ErrorNotice failure={failure} />
        {sessions === undefined && <Skeleton height={72} />}
        <ul class="sessions">
          {sessions?.map((session) => (
            <li key={session.id} class="between">
              <div>
                <strong>{describeProgram(session.userAgent ?? "")}</strong>
                {session.id === current && accountText.thisSession}
                <p class="small muted">
                  {accountText.sessionDetails(
                    session.ipAddress || accountText.unknownAddress,
                    show(session.createdAt),
                    show(session.updatedAt),
                  )}
                </p>
              </div>
              {session.id !== current && (
                <button
                  type="button"
                  class="button small"
                  aria-label={accountText.endNamedSession(
                    describeProgram(session.userAgent ?? ""),
                    show(session.createdAt),
                  )}
                  onClick={() => void end("/revoke-session", { token: session.token })}
                >
                  {accountText.endSession}
                </button>
              )}
            </li>
          ))}
        </ul>
        {sessions && sessions.length > 1 && (
          <div>
            <button
              type="button"
              class="button"
              onClick={() => void end("/revoke-other-sessions", {})}
            >
              {accountText.endAllOtherSessions}
            </button>
          </div>
        )}
      </div>
    </Card>
  );
}
