import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { refreshSite } from "./api/site-calls.js";
import { lazy } from "./lazy.js";
import { SignInPage } from "./pages/account/sign-in-page.js";
import { SignUpPage } from "./pages/account/sign-up-page.js";
import { VerifyNotice } from "./pages/account/verify-notice.js";
import { ClaimPage } from "./pages/claim-page.js";
import { DevicesPage } from "./pages/devices-page.js";
import { NotFoundPage } from "./pages/not-found-page.js";
import { TopBar } from "./pages/top-bar.js";
import { Link, matchPath, place } from "./router.js";
import { account, site } from "./session.js";
import * as shellText from "./text/shell.js";
import { EmptyState, Notice } from "./ui/parts.js";
import { Toast } from "./ui/toast.js";

type Params = Readonly<Record<string, string>>;
interface Page {
  readonly pattern: string;
  readonly show: (params: Params) => ComponentChildren;
  /** Whether the page is shown without signing in. Default: false. */
  readonly public?: boolean;
  /** Pages with the same key are views of one page, which stays. Default: the pattern. */
  readonly key?: string;
  /** Whether the page stays if the user's address changes. Default: whether it is public. */
  readonly ofAnyUser?: boolean;
}

// These pages are loaded on first use, to keep the first view small.
const DevicePage = lazy(async () => (await import("./pages/device-page.js")).DevicePage);
const ReleasesPage = lazy(
  async () => (await import("./pages/operator/releases-page.js")).ReleasesPage,
);
const PublishPage = lazy(
  async () => (await import("./pages/operator/publish-page.js")).PublishPage,
);
const ReleasePage = lazy(
  async () => (await import("./pages/operator/release-page.js")).ReleasePage,
);
const AuditPage = lazy(async () => (await import("./pages/operator/audit-page.js")).AuditPage);

const ComparePage = lazy(async () => (await import("./pages/compare-page.js")).ComparePage);
const ConnectPage = lazy(async () => (await import("./pages/connect-page.js")).ConnectPage);

const AlertsPage = lazy(async () => (await import("./alerts/alerts-page.js")).AlertsPage);
const WebhooksPage = lazy(async () => (await import("./webhooks/webhooks-page.js")).WebhooksPage);
const WebhookPage = lazy(async () => (await import("./webhooks/webhook-page.js")).WebhookPage);

const AccountPage = lazy(async () => (await import("./account/account-page.js")).AccountPage);
const ConfirmEmailPage = lazy(
  async () => (await import("./account/confirm-email-page.js")).ConfirmEmailPage,
);
const ForgotPage = lazy(async () => (await import("./pages/account/forgot-page.js")).ForgotPage);
const ResetPage = lazy(async () => (await import("./pages/account/reset-page.js")).ResetPage);
const VerifyEmailPage = lazy(
  async () => (await import("./pages/account/verify-email-page.js")).VerifyEmailPage,
);
const MailsPage = lazy(async () => (await import("./pages/operator/mails-page.js")).MailsPage);
const UndoPage = lazy(async () => (await import("./account/undo-page.js")).UndoPage);

const device = ({ deviceId = "", tab = "" }: Params) => (
  <DevicePage key={deviceId} deviceId={deviceId} tab={tab} />
);
const pages: readonly Page[] = [
  { pattern: "", show: () => <DevicesPage /> },
  { pattern: "/compare", show: () => <ComparePage /> },
  { pattern: "/connect", show: () => <ConnectPage /> },
  { pattern: "/claim", show: () => <ClaimPage /> },
  { pattern: "/devices/:deviceId", show: device, key: "device" },
  { pattern: "/devices/:deviceId/:tab", show: device, key: "device" },
  { pattern: "/releases", show: () => <ReleasesPage /> },
  { pattern: "/releases/new", show: () => <PublishPage /> },
  {
    pattern: "/releases/:releaseId",
    show: ({ releaseId = "" }) => <ReleasePage releaseId={releaseId} />,
  },
  { pattern: "/alerts", show: () => <AlertsPage /> },
  { pattern: "/webhooks", show: () => <WebhooksPage /> },
  {
    pattern: "/webhooks/:webhookId",
    show: ({ webhookId = "" }) => <WebhookPage webhookId={webhookId} />,
  },
  { pattern: "/audit", show: () => <AuditPage /> },
  { pattern: "/account", show: () => <AccountPage /> },
  { pattern: "/confirm-email", show: () => <ConfirmEmailPage />, ofAnyUser: true },
  { pattern: "/undo", show: () => <UndoPage />, public: true },
  { pattern: "/sign-in", show: () => <SignInPage />, public: true },
  { pattern: "/sign-up", show: () => <SignUpPage />, public: true },
  { pattern: "/forgot-password", show: () => <ForgotPage />, public: true },
  { pattern: "/reset-password", show: () => <ResetPage />, public: true },
  { pattern: "/verify-email", show: () => <VerifyEmailPage />, public: true },
  { pattern: "/demo/mails", show: () => <MailsPage />, public: true },
];

function currentPage(): ComponentChildren {
  const { path } = place.value;
  for (const page of pages) {
    const { pattern, show, key = pattern, public: isPublic = false, ofAnyUser = isPublic } = page;
    const params = matchPath(pattern, path);
    if (params === undefined) continue;
    if (!isPublic && account.value === null) {
      return (
        <div key="">
          <SignInPage />
        </div>
      );
    }
    // The key makes each page a new element. An element that two pages shared would count as a layout shift. A page also
    // does not show what it has read or been told for another user.
    return <div key={ofAnyUser ? key : `${account.value?.email} ${key}`}>{show(params)}</div>;
  }
  return <NotFoundPage />;
}

const Unreachable = () => (
  <EmptyState
    whole
    title={shellText.serverUnreachable}
    actions={
      <button type="button" class="button primary" onClick={() => void refreshSite()}>
        {shellText.tryAgain}
      </button>
    }
  >
    <p>{shellText.serverUnreachableHint}</p>
  </EmptyState>
);

const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();

export function App() {
  const main = useRef<HTMLElement>(null);
  const { path } = place.value;
  const shown = useRef(path);
  // `useEffect` would run later, and would take the focus from the element that the user has reached by then.
  useLayoutEffect(() => {
    // Screen readers and the keyboard start at the top of the new page.
    if (shown.current !== path) main.current?.focus({ preventScroll: true });
    shown.current = path;
  }, [path]);
  if (site.value === undefined) return <div class="page" aria-busy="true" />;
  return (
    <>
      <a class="skip" href="#main">
        {shellText.skipToContent}
      </a>
      <TopBar />
      <main id="main" class="page" tabIndex={-1} ref={main}>
        {site.value === "unreachable" ? (
          <Unreachable />
        ) : (
          <>
            <VerifyNotice key={account.value?.email} />
            {account.value?.lacksFactor && path !== "/account" && (
              <Notice tone="warn">
                <p>{shellText.operatorsNeedFactor}</p>
                <Link to="/account">{shellText.turnFactorOn}</Link>
              </Notice>
            )}
            {currentPage()}
          </>
        )}
      </main>
      {account.value !== null && (
        <footer class="foot small muted">{shellText.timesAreIn(timeZone)}</footer>
      )}
      <Toast />
    </>
  );
}
