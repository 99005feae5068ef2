// Owns the login at GitHub: a given token, that of the program `gh`, or the tokens of an App's installation, which are
// renewed before they expire. A token is held in memory only.

import { createPrivateKey, sign } from 'node:crypto';
import { EngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { runCommand } from '../../process/command.ts';

/** How to log in. */
export type GitHubAuth =
  | {
      readonly kind: 'token';
      readonly token: string;
      /** The name of the program that the token belongs to: `github-actions[bot]`. GitHub does not report it for tokens of a job. */
      readonly bot?: string;
    }
  /** The token that `gh auth token` prints. */
  | { readonly kind: 'gh' }
  | {
      readonly kind: 'app';
      readonly appId: string;
      /** The private key as PEM. */
      readonly privateKey: string;
      /** Default: the installation for the repository. */
      readonly installationId?: number;
    };

/** A login. */
export interface Login {
  readonly kind: GitHubAuth['kind'];
  /** The token for a request or a git command. */
  token(): Promise<string>;
  /** Gets another token after one was refused. Returns false if there is none. */
  renew(refused: string): Promise<boolean>;
  /** The token of the App itself, for requests about the App. */
  appToken?(): string;
  /** The program that the token belongs to, if GitHub does not report it. */
  readonly bot?: string;
}

interface ExpiringToken {
  readonly token: string;
  readonly expiresAt: number;
}

/** The parts that a login needs. */
interface LoginParts {
  readonly auth: GitHubAuth;
  /** The host that `gh` knows the login by: `github.com`. */
  readonly host: string;
  readonly now: () => number;
  /** The time by GitHub's clock. */
  readonly serverNow: () => number;
  /** Requests a token of an installation, as the App. */
  readonly requestToken: (appToken: string) => Promise<ExpiringToken>;
}

/** A new token is requested this long before the old one expires. */
const MARGIN_MS = 5 * 60_000;
const GH_TIMEOUT_MS = 20_000;

/** Creates the login. */
export function createLogin(parts: LoginParts): Login {
  const { auth } = parts;
  switch (auth.kind) {
    case 'token':
      return { kind: 'token', token: async () => auth.token, renew: async () => false, ...omitUndefined({ bot: auth.bot }) };
    case 'gh':
      return renewable('gh', async () => ({ token: await ghToken(parts.host), expiresAt: Number.POSITIVE_INFINITY }), parts);
    case 'app': {
      const appToken = (): string => signAppToken(auth, parts.serverNow());
      return { ...renewable('app', () => parts.requestToken(appToken()), parts), appToken };
    }
    default:
      return auth satisfies never;
  }
}

/** Requests a value once. A failure is forgotten, so the next call requests it again. */
export function cached<T>(request: () => Promise<T>): { get(): Promise<T>; clear(): void } {
  let current: Promise<T> | undefined;
  return {
    get: async () => {
      current ??= request();
      try {
        return await current;
      } catch (error) {
        current = undefined;
        throw error;
      }
    },
    clear: () => {
      current = undefined;
    },
  };
}

function renewable(kind: Login['kind'], request: () => Promise<ExpiringToken>, { now }: LoginParts): Login {
  const current = cached(request);
  return {
    kind,
    token: async () => {
      const { token, expiresAt } = await current.get();
      if (now() < expiresAt - MARGIN_MS) return token;
      current.clear();
      return (await current.get()).token;
    },
    renew: async (refused) => {
      if ((await current.get()).token === refused) current.clear();
      return (await current.get()).token !== refused;
    },
  };
}

/** The header of requests about the App itself; undefined if the login is not that of an App. */
export function appHeaders({ appToken }: Login): { readonly authorization: string } | undefined {
  return appToken === undefined ? undefined : { authorization: `Bearer ${appToken()}` };
}

/** A JSON Web Token of an App: GitHub accepts at most ten minutes; it starts a minute in the past, because clocks differ. */
function signAppToken({ appId, privateKey }: Extract<GitHubAuth, { kind: 'app' }>, now: number): string {
  const seconds = Math.floor(now / 1000);
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ iat: seconds - 60, exp: seconds + 540, iss: appId })}`;
  try {
    return `${text}.${sign('RSA-SHA256', Buffer.from(text), createPrivateKey(privateKey)).toString('base64url')}`;
  } catch (error) {
    const message = `the private key of the GitHub App ${appId} cannot be used; download a new one as PEM from the settings of the App`;
    throw new EngineError('CONFIG_INVALID', message, { cause: error });
  }
}

async function ghToken(host: string): Promise<string> {
  const argv = ['gh', 'auth', 'token', '--hostname', host];
  const inheritEnv = ['PATH', 'HOME', 'USER', 'XDG_*', 'GH_*', 'GITHUB_*', 'DBUS_*'];
  const result = await runCommand({ argv, cwd: '/', inheritEnv, mark: `gh/${host}`, timeoutMs: GH_TIMEOUT_MS, outputMax: 65_536 });
  const token = result.kind === 'exited' && result.exitCode === 0 ? result.stdout.trim() : '';
  if (token !== '') return token;
  const message = `"gh auth token" has no login for ${host}; run "gh auth login --hostname ${host}", or set "forge.auth" to token or app`;
  throw new EngineError('CONFIG_INVALID', message, { details: { host } });
}
