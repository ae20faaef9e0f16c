import { useEffect, useRef } from "preact/hooks";
import { callAccounts, refreshSite } from "../api/account-calls.js";
import { Link, navigate, place } from "../router.js";
import { account, isDemoOpen, isOperator } from "../session.js";
import { ThemeChoice } from "../ui/theme.js";

async function signOut() {
  await callAccounts("/sign-out");
  await refreshSite();
  navigate("/sign-in");
}

function AccountMenu() {
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const isEscape = event instanceof KeyboardEvent && event.key === "Escape";
      const isOutside =
        event.type === "pointerdown" && !menu.current?.contains(event.target as Node);
      if (menu.current && (isEscape || isOutside)) menu.current.open = false;
    };
    addEventListener("pointerdown", close);
    addEventListener("keydown", close);
    return () => {
      removeEventListener("pointerdown", close);
      removeEventListener("keydown", close);
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
        <span>{user?.name ?? "Menu"}</span>
      </summary>
      <div class="menu-panel">
        {user && (
          <div class="stack-small">
            <span class="small muted">Signed in as</span>
            <span>{user.email}</span>
          </div>
        )}
        {user && <Link to="/account">Your account</Link>}
        {isDemoOpen.value && <Link to="/demo/mails">Demo e-mails</Link>}
        <a href="/api/v1/openapi.json">API reference</a>
        <ThemeChoice />
        {user && (
          <button type="button" class="button small" onClick={() => void signOut()}>
            Sign out
          </button>
        )}
      </div>
    </details>
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
          Device Gateway
        </Link>
        <nav class="nav" aria-label="Main">
          {account.value && (
            <>
              <Link to="/" current={path === "/" || within("/devices") || within("/compare")}>
                Devices
              </Link>
              {isOperator.value && (
                <>
                  <Link to="/releases" current={within("/releases")}>
                    Releases
                  </Link>
                  <Link to="/audit" current={within("/audit")}>
                    Audit trail
                  </Link>
                </>
              )}
            </>
          )}
        </nav>
        <AccountMenu key={account.value?.email ?? ""} />
      </div>
    </header>
  );
}
