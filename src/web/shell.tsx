import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, Outlet, useRouter, useRouterState } from "@tanstack/react-router";
import { Activity, useEffect, useRef, useState } from "react";
import { logOut } from "./log-out.ts";
import { Login } from "./login.tsx";
import { loginFailure } from "./login-failure.ts";
import { NAVIGATION } from "./navigation.ts";
import { PaletteButton } from "./palette/palette-button.tsx";
import { Icon } from "./parts/icon.tsx";
import { keepFocus } from "./parts/keep-focus.ts";
import { Empty, Failed } from "./parts/states.tsx";
import { Unreachable } from "./parts/unreachable.tsx";
import { isLoggedOut, sessionQuery, useMissing, useSession, whoIs } from "./session.ts";
import { ThemeToggle } from "./theme-toggle.tsx";

/**
 * The frame of every page, or the log-in page. It checks the log-in before it shows anything. If a log-in ends while a page is
 * open, the page is kept for a while, hidden and idle: after another log-in of the same user or key its forms have what was
 * typed.
 */
export function Shell() {
  const { data, error, refetch, isPending } = useQuery(sessionQuery);
  const [failure, setFailure] = useState(loginFailure);
  const forget = () => setFailure(undefined);
  if (failure !== undefined) return <Login failure={failure} isLoggedIn={data !== undefined} onLeave={forget} />;
  const isOut = isLoggedOut(error);
  if (data !== undefined)
    return (
      <>
        <Activity key={whoIs(data)} mode={isOut ? "hidden" : "visible"}>
          <Frame />
        </Activity>
        {isOut ? <LoginAgain /> : null}
      </>
    );
  if (isOut) return <Login />;
  if (isPending) return <main className="login" aria-busy="true" />;
  return (
    <main className="login">
      <Failed error={error} onRetry={() => void refetch()} />
    </main>
  );
}

/** How long a page is kept without its log-in: it still holds records. */
const KEPT_MS = 15 * 60_000;

/** The log-in page over a kept page, of which nothing is left after `KEPT_MS`. */
function LoginAgain() {
  useEffect(() => {
    const timer = setTimeout(() => window.location.reload(), KEPT_MS);
    return () => clearTimeout(timer);
  }, []);
  return <Login />;
}

/** By then the first page has loaded, and short visits have ended. */
const IDLE_MS = 10_000;

/** Resolves when the browser has nothing to do; not while a list scrolls. Safari does not say, so there a moment passes. */
const idle = () =>
  new Promise<void>((resolve) => {
    if (globalThis.requestIdleCallback === undefined) setTimeout(resolve, 100);
    else requestIdleCallback(() => resolve());
  });

/**
 * Preloads the code of every page when idle, so that pages open even while the service is unavailable. That takes 0.3 s of
 * CPU time, half as much as a simple page. A page's code is also loaded when the pointer or the focus reaches its link.
 */
function usePagesCode(): void {
  const router = useRouter();
  useEffect(() => {
    let isGone = false;
    const load = async () => {
      for (const route of Object.values(router.routesById)) {
        await idle();
        if (isGone) return;
        await router.loadRouteChunk(route)?.catch(() => {}); // opening the page tries again
      }
    };
    const timer = setTimeout(load, IDLE_MS);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [router]);
}

function Frame() {
  usePagesCode();
  const [isOpen, setOpen] = useState(false);
  const missing = useMissing("figures");
  const path = useRouterState({ select: ({ location, resolvedLocation }) => (resolvedLocation ?? location).pathname });
  const shown = useRef(path);
  useEffect(() => {
    // On a low screen the navigation scrolls.
    document.querySelector('.side nav [aria-current="page"]')?.scrollIntoView({ block: "nearest" });
    if (shown.current === path) return;
    shown.current = path;
    setOpen(false); // the menu of narrow screens
    keepFocus(); // the control that led here may be gone with its page
  }, [path]);
  return (
    <div className="frame">
      <a className="skip" href="#content">
        Skip to content
      </a>
      <header className="side" data-open={isOpen}>
        <div className="brand">
          <Link to="/" className="brand-name">
            <Wave />
            Weir
          </Link>
          <PaletteButton />
          <button
            type="button"
            className="quiet side-toggle"
            aria-expanded={isOpen}
            aria-controls="navigation"
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name={isOpen ? "close" : "menu"} />
            <span className="unseen">Menu</span>
          </button>
        </div>
        <div className="side-fold" id="navigation">
          <nav aria-label="Pages">
            <ul>
              {NAVIGATION.map(({ to, label, icon, ...place }) => (
                <li key={to} className={"begins" in place ? "nav-group" : undefined}>
                  <Link
                    to={to}
                    className="nav-link"
                    activeProps={{ "aria-current": "page" }}
                    activeOptions={{ includeSearch: false }}
                  >
                    <Icon name={icon} />
                    {label}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          <Account />
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {missing === undefined ? (
          <Outlet />
        ) : (
          <Empty title="You have no access to any page">{missing} Log out, and in with another key or account.</Empty>
        )}
      </main>
      <Unreachable />
    </div>
  );
}

function Account() {
  const { key, organization, scopes, version } = useSession();
  const client = useQueryClient();
  const [isFailed, setFailed] = useState(false);
  return (
    <div className="account">
      <ThemeToggle />
      <p className="account-key" title={`Scopes: ${scopes.join(", ")}`}>
        <strong>{key.name}</strong>
        <span>{organization}</span>
      </p>
      <Link to="/account" className="nav-link" activeProps={{ "aria-current": "page" }}>
        <Icon name="person" />
        My account
      </Link>
      <button type="button" className="nav-link" onClick={async () => setFailed(!(await logOut(client)))}>
        <Icon name="leave" />
        {isFailed ? "Not logged out: try again" : "Log out"}
      </button>
      <p className="account-version">
        <span>Weir {version}</span> <a href="/docs">API reference</a>
      </p>
    </div>
  );
}

function Wave() {
  return (
    <svg width="20" height="20" viewBox="0 0 32 32" aria-hidden="true" className="wave">
      <path d="M4 11c4-3.500 8-3.500 12 0s8 3.500 12 0M4 21c4-3.500 8-3.500 12 0s8 3.500 12 0" />
    </svg>
  );
}
