import { useEffect, useRef } from "preact/hooks";
import { callAccounts } from "../api/account-calls.js";
import { call } from "../api/call.js";
import { announceSession } from "../api/site-calls.js";
import { Link, navigate, place } from "../router.js";
import { account, isDemoOpen, isOperator, mayHaveWebhooks } from "../session.js";
import * as shellText from "../text/shell.js";
import { ThemeChoice } from "../ui/theme.js";
import { showToast } from "../ui/toast.js";
import { useLoad, useRefreshed } from "../ui/use-load.js";
import { discardUnsaved, mayLeave } from "../unsaved.js";

async function signOut() {
  if (!mayLeave()) return;
  const reply = await callAccounts("/sign-out");
  if (!reply.ok) return showToast(reply.message);
  discardUnsaved();
  await announceSession();
  navigate("/sign-in");
}

function AccountMenu() {
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const closeOutside = ({ target }: Event) => {
      if (menu.current && !menu.current.contains(target as Node)) menu.current.open = false;
    };
    const closeByKey = ({ key }: KeyboardEvent) => {
      if (key !== "Escape" || !menu.current?.open) return;
      // The focused element disappears with the menu, so the focus moves to its button.
      menu.current.querySelector("summary")?.focus();
      menu.current.open = false;
    };
    addEventListener("pointerdown", closeOutside);
    addEventListener("focusin", closeOutside);
    addEventListener("keydown", closeByKey);
    return () => {
      removeEventListener("pointerdown", closeOutside);
      removeEventListener("focusin", closeOutside);
      removeEventListener("keydown", closeByKey);
    };
  }, []);
  const user = account.value;
  const { path } = place.value;
  useEffect(() => {
    if (menu.current) menu.current.open = false;
  }, [path]);
  return (
    <details class="menu" ref={menu}>
      <summary class="button quiet small">
        {user && (
          <span class="initial" aria-hidden="true">
            {[...user.name][0]?.toUpperCase()}
          </span>
        )}
        <span>{user?.name ?? shellText.menu}</span>
      </summary>
      <div class="menu-panel">
        {user && (
          <div class="stack-small">
            <span class="small muted">{shellText.signedInAs}</span>
            <span>{user.email}</span>
          </div>
        )}
        {user && <Link to="/account">{shellText.yourAccount}</Link>}
        {isDemoOpen.value && <Link to="/demo/mails">{shellText.demoEmails}</Link>}
        <a href="/api/v1/openapi.json">{shellText.apiReference}</a>
        <ThemeChoice />
        {user && (
          <button type="button" class="button small" onClick={() => void signOut()}>
            {shellText.signOut}
          </button>
        )}
      </div>
    </details>
  );
}

/** Counts the alerts that fire now, up to 50 and a plus: those of all operators, or of the user's own rules. */
function FiringAlerts() {
  const scope = isOperator.value ? "operator" : "own";
  const { value, refresh } = useRefreshed(
    useLoad(`firing/${scope}`, (signal) =>
      call("listAlerts", { query: { scope, limit: 50 }, signal }),
    ),
    60_000,
  );
  const { path } = place.value;
  const shown = useRef(path);
  useEffect(() => {
    // An alert that the user has acknowledged or a rule that they deleted may be gone.
    if (shown.current.startsWith("/alerts")) refresh();
    shown.current = path;
  }, [path, refresh]);
  const count = value?.alerts.length ?? 0;
  if (count === 0) return null;
  const isMore = value?.nextCursor !== null;
  return (
    <span class="nav-count">
      <span aria-hidden="true">
        {count}
        {isMore && "+"}
      </span>
      <span class="visually-hidden">
        {isMore ? shellText.moreFiringAlerts(count) : shellText.firingAlerts(count)}
      </span>
    </span>
  );
}

export function TopBar() {
  const { path } = place.value;
  const within = (start: string) => path.startsWith(start);
  return (
    <header class="bar">
      <div class="bar-inner">
        <Link to="/" class="brand">
          <img src="/icon.svg" width="26" height="26" alt="" />
          {shellText.productName}
        </Link>
        <nav class="nav" aria-label={shellText.main}>
          {account.value && (
            <>
              <Link to="/" current={path === "/" || within("/devices") || within("/compare")}>
                {shellText.devices}
              </Link>
              <Link to="/alerts" current={within("/alerts")}>
                {shellText.alerts}
                <FiringAlerts key={account.value.email} />
              </Link>
              {isOperator.value && (
                <Link to="/releases" current={within("/releases")}>
                  {shellText.releases}
                </Link>
              )}
              {mayHaveWebhooks.value && (
                <Link to="/webhooks" current={within("/webhooks")}>
                  {shellText.webhooks}
                </Link>
              )}
              {isOperator.value && (
                <Link to="/audit" current={within("/audit")}>
                  {shellText.auditTrail}
                </Link>
              )}
            </>
          )}
        </nav>
        <AccountMenu key={account.value?.email ?? ""} />
      </div>
    </header>
  );
}
