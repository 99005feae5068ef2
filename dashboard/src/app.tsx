// Owns the frame of the dashboard: who is logged in, the navigation, the state of the connection, and which page is open.

import { useQuery } from '@tanstack/react-query';
import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import { ApiError, read, write } from './connection/api.ts';
import type { SessionReport } from './connection/contract.ts';
import { useFreshness } from './connection/freshness.ts';
import type { LiveState } from './connection/live.ts';
import { useInbox } from './connection/queries.ts';
import { Button } from './parts/controls.tsx';
import { type ICONS, Icon } from './parts/icons.tsx';
import { Empty, Loading, Pending } from './parts/messages.tsx';
import { Person } from './person.ts';
import { applyTheme, chosenTheme, type Theme } from './theme.ts';

const PAGES: readonly { readonly path: string; readonly icon: keyof typeof ICONS; readonly name: string }[] = [
  { path: '/inbox', icon: 'inbox', name: 'Inbox' },
  { path: '/runs', icon: 'runs', name: 'Runs' },
  { path: '/workflows', icon: 'workflows', name: 'Workflows' },
  { path: '/usage', icon: 'usage', name: 'Usage' },
  { path: '/events', icon: 'events', name: 'Schedules and events' },
  { path: '/access', icon: 'access', name: 'Health and access' },
];

type LoadPage = () => Promise<{ readonly default: ComponentType }>;

const LOADED: readonly (readonly [path: string, load: LoadPage])[] = [
  ['/inbox', () => import('./pages/inbox/inbox-page.tsx')],
  ['/inbox/:run/:path?', () => import('./pages/inbox/inbox-page.tsx')],
  ['/runs', () => import('./pages/runs/runs-page.tsx')],
  ['/runs/:id', () => import('./pages/run/run-page.tsx')],
  ['/workflows', () => import('./pages/workflows/workflows-page.tsx')],
  ['/workflows/:name', () => import('./pages/workflows/workflow-page.tsx')],
  ['/usage', () => import('./pages/usage/usage-page.tsx')],
  ['/events', () => import('./pages/events/events-page.tsx')],
  ['/access', () => import('./pages/access/access-page.tsx')],
];
const ROUTES = LOADED.map(([path, load]) => ({ path, ...lazyPage(load) }));

/**
 * A page whose code is loaded when it is first needed. Code that is loaded already is shown immediately: React shows a fallback for at
 * least 300 ms, even if the code is there.
 */
function lazyPage(load: LoadPage): { readonly Page: ComponentType; readonly ahead: LoadPage } {
  let Loaded: ComponentType | undefined;
  const ahead: LoadPage = async () => {
    const page = await load();
    Loaded = page.default;
    return page;
  };
  const Later = lazy(ahead);
  const Page = () => {
    const [Shown] = useState(() => Loaded ?? Later);
    return <Shown />;
  };
  return { Page, ahead };
}

/** Loads the code of the page at a path before it is opened. */
async function preload(path: string): Promise<void> {
  const segments = path.split('/');
  const matches = (pattern: string): boolean => {
    const parts = pattern.split('/');
    return parts.length === segments.length && parts.every((part, n) => part.startsWith(':') || part === segments[n]);
  };
  // If it fails, opening the page says so.
  await ROUTES.find((route) => matches(route.path))
    ?.ahead()
    .catch(() => undefined);
}

/** The dashboard. */
export function App() {
  const session = useQuery({
    queryKey: ['session'],
    queryFn: async ({ signal }) => (await Promise.all([read<SessionReport>('/session', signal), preload(location.pathname)]))[0],
    staleTime: Number.POSITIVE_INFINITY,
  });
  const live = useFreshness(session.data !== undefined);
  const signedOut = live === 'signed-out' || (session.error instanceof ApiError && session.error.status === 401);
  if (signedOut) return <LoggedOut />;
  if (session.data === undefined) return <Pending of={session} subject="who you are" />;
  return (
    <Person.Provider value={session.data}>
      <Frame session={session.data} live={live} />
    </Person.Provider>
  );
}

/** Sends the browser to the login pages of the server, which do not need the dashboard. */
function LoggedOut() {
  const login = `/auth/login?next=${encodeURIComponent(location.pathname + location.search)}`;
  useEffect(() => location.replace(login), [login]);
  return (
    <Empty title="Log in to see the runs">
      <p>
        <a href={login}>Log in</a>
      </p>
    </Empty>
  );
}

function Frame({ session, live }: { readonly session: SessionReport; readonly live: LiveState }) {
  const [open, setOpen] = useState(false);
  return (
    <div className="frame">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="topbar">
        <img src="/icon.svg" alt="" />
        <strong className="grow cut">{session.project.name}</strong>
        <button type="button" className="quiet" aria-expanded={open} aria-controls="rail" onClick={() => setOpen(!open)}>
          <Icon name={open ? 'close' : 'menu'} />
          Menu
        </button>
      </header>
      <Rail session={session} live={live} open={open} close={() => setOpen(false)} />
      <main className="content" id="content" tabIndex={-1}>
        {live === 'lost' && (
          <div className="banner bad lost" role="alert">
            <p>The connection is lost. What you see may be old until the server answers again.</p>
          </div>
        )}
        <Suspense fallback={<Loading subject="the page" />}>
          <Switch>
            {ROUTES.map(({ path, Page }) => (
              <Route key={path} path={path}>
                <Page />
              </Route>
            ))}
            <Route path="/">
              <Redirect to="/inbox" replace />
            </Route>
            <Route>
              <div className="page">
                <h1>There is no such page</h1>
                <p>
                  <Link href="/runs">All runs</Link>
                </p>
              </div>
            </Route>
          </Switch>
        </Suspense>
      </main>
    </div>
  );
}

interface RailProps {
  readonly session: SessionReport;
  readonly live: LiveState;
  readonly open: boolean;
  readonly close: () => void;
}

const LIVE_WORDS: Readonly<Record<LiveState, string>> = {
  connecting: 'connecting',
  live: 'live',
  lost: 'connection lost',
  'signed-out': 'logged out',
};

function Rail({ session, live, open, close }: RailProps) {
  const [location] = useLocation();
  const waiting = useInbox(useIsLater()).data?.filter((item) => item.mine).length ?? 0;
  return (
    <nav className="rail" id="rail" aria-label="Pages" data-open={open ? '' : undefined}>
      <div className="brand">
        <img src="/icon.svg" alt="" />
        <span className="grow">
          <strong>Pawl</strong>
          <small className="cut" title={session.project.name}>
            {session.project.name}
          </small>
        </span>
      </div>
      {PAGES.map(({ path, icon, name }) => (
        <Link
          key={path}
          href={path}
          onClick={close}
          onPointerEnter={() => void preload(path)}
          onFocus={() => void preload(path)}
          aria-current={location.startsWith(path) ? 'page' : undefined}
        >
          <Icon name={icon} />
          {name}
          {path === '/inbox' && waiting > 0 && (
            <span className="count">
              {waiting}
              <span className="unseen"> waiting for you</span>
            </span>
          )}
        </Link>
      ))}
      <div className="foot">
        {session.projects[0] && 'Other projects'}
        {session.projects.map(({ name, url }) => (
          <a key={url} href={url}>
            {name}
          </a>
        ))}
        <ThemeChoice />
        <span className="live" data-state={live}>
          {LIVE_WORDS[live]}
        </span>
        <span className="cut" title={session.person.groups.join(', ')}>
          {session.person.name} · Pawl {session.version}
        </span>
        <Button label="Log out" className="link" onClick={() => void logOut()} />
      </div>
    </nav>
  );
}

const LATER_MS = 300;

/** True a moment after the page was opened, so that the page itself is read first. */
function useIsLater(): boolean {
  const [isLater, setLater] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLater(true), LATER_MS);
    return () => clearTimeout(timer);
  }, []);
  return isLater;
}

/** Sends a request instead of a form: pages send no referrer, and a form without an origin is rejected. */
async function logOut(): Promise<void> {
  await write('/auth/logout', {});
  location.assign('/auth/login');
}

function ThemeChoice() {
  const [theme, setTheme] = useState<Theme>(chosenTheme);
  const choose = (next: Theme): void => {
    setTheme(next);
    applyTheme(next);
  };
  return (
    <label className="row">
      <Icon name="theme" />
      <span className="unseen">Colours</span>
      <select value={theme} onChange={(event) => choose(event.target.value as Theme)}>
        <option value="system">as the system</option>
        <option value="light">light</option>
        <option value="dark">dark</option>
      </select>
    </label>
  );
}
