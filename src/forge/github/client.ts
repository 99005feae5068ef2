// Owns the connection to GitHub's API: addresses, login, waiting between requests, retries of reads, and conditional
// requests. Loads octokit.
//
// - A write is requested once: octokit does not retry it, because a write may have happened before its error.
// - An unchanged read (304) is answered from memory; it does not count against the rate limit.
// - After a secondary rate limit no request is sent until the limit ends.
// - The login is sent only to the configured server: over HTTPS, or to this machine.
// - A redirect is followed only to the same repository under its new name, with the same method: GitHub also redirects from a
//   transferred issue to its new repository, where nothing may be read or changed.

import type { Octokit } from 'octokit';
import { EngineError } from '../../base/error.ts';
import type { ErrorClassifier } from '../ledger.ts';
import { type AnswerRunner, refuse, refuseMissing } from '../refusal.ts';
import { classifyError, isApiError } from './failure.ts';
import { createLogin, type GitHubAuth, type Login } from './login.ts';

/** The largest page of a list. */
export const PAGE = 100;

/** The API version that this driver is written for; without it, GitHub chooses one. */
const API_VERSION = '2022-11-28';
const TIMEOUT_MS = 30_000;
const READ_RETRIES = 2;
const CACHED_MAX = 1000;
/** The delay after an outage, as a multiple of the delay before the first retry of a read. */
const OUTAGE_RETRIES = 30;

/** Options of the connection. */
export interface ConnectionOptions {
  /** `owner/name`. */
  readonly repository: string;
  readonly auth: GitHubAuth;
  /** The address of an Enterprise server: `https://github.example.com`. Default: github.com. */
  readonly baseUrl?: string;
  readonly now?: () => number;
  /** Whether writes are spaced by a second or more, as GitHub asks for. Default: true. */
  readonly throttle?: boolean;
  /** The delay before the first retry of a read; the second waits four times as long, one during an outage 30 times. Default: 1000. */
  readonly retryMs?: number;
}

/** A connection to one repository. */
export interface Connection {
  readonly octokit: Octokit;
  /** The parameters that name the repository. */
  readonly repo: { readonly owner: string; readonly repo: string };
  readonly login: Login;
  /** The address for git. */
  readonly gitUrl: string;
  readonly now: () => number;
  /** How far the clock of GitHub is ahead of ours. */
  readonly aheadMs: () => number;
  /** When to retry after an outage for which GitHub names no time: this much later. */
  readonly outageMs: number;
  /** Number of requests sent so far. */
  readonly sent: () => number;
  readonly classify: ErrorClassifier;
  /** Turns errors of GitHub and of git into answers, too. */
  readonly answer: AnswerRunner;
}

/** The part of a connection that a single request needs. */
export type RepositoryAccess = Pick<Connection, 'octokit' | 'repo'>;

/** Opens a connection. Nothing is requested yet. */
export async function connect(options: ConnectionOptions): Promise<Connection> {
  const { now = Date.now, throttle = true, retryMs = 1000 } = options;
  const repo = parseRepository(options.repository);
  const { api, web } = addressesOf(options.baseUrl);
  const { Octokit: Client } = await import('octokit');
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const octokit = new Client({
    baseUrl: api,
    userAgent: 'pawl',
    log,
    retry: { retries: READ_RETRIES, retryAfterBaseValue: retryMs },
    throttle: { enabled: throttle, onRateLimit: () => false, onSecondaryRateLimit: () => false },
  });
  const clock = new ServerClock();
  const login = createLogin({
    ...{ auth: options.auth, host: new URL(web).host, now, serverNow: () => now() + clock.lastAheadMs() },
    requestToken: (appToken) => requestToken(octokit, { auth: options.auth, repo, appToken }),
  });
  const counted = { sent: 0 };
  const outageMs = OUTAGE_RETRIES * retryMs;
  const classify: ErrorClassifier = (error) => classifyError(error, { now: now(), outageMs });
  prepareRequests(octokit, { repo, login, now, counted, classify, clock });
  return {
    octokit,
    repo,
    login,
    gitUrl: `${web}/${repo.owner}/${repo.repo}.git`,
    now,
    aheadMs: () => clock.aheadMs(),
    outageMs,
    sent: () => counted.sent,
    classify,
    answer: async (work) => {
      try {
        return { result: 'ok', value: await work() };
      } catch (error) {
        const classified = classify(error);
        if (classified === undefined) throw error;
        return classified.failure;
      }
    },
  };
}

/** The open pull requests of a repository, optionally only those from one branch. */
export function listOpenPulls({ octokit, repo }: RepositoryAccess, only: { readonly head?: string } = {}) {
  return octokit.paginate(octokit.rest.pulls.list, { ...repo, ...only, state: 'open', per_page: PAGE });
}

function parseRepository(name: string): Connection['repo'] {
  const [, owner, repo] = /^([A-Za-z0-9][A-Za-z0-9-]*)\/([\w.-]+)$/.exec(name) ?? [];
  if (owner === undefined || repo === undefined)
    throw new EngineError('CONFIG_INVALID', `"forge.repository" must be owner/name at GitHub, such as octo/project, not "${name}"`);
  return { owner, repo };
}

function addressesOf(baseUrl = 'https://github.com'): { readonly api: string; readonly web: string } {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname));
  if (url === undefined || !isSafe || url.username !== '' || url.search !== '')
    throw new EngineError('CONFIG_INVALID', `"forge.base_url" must be the https address of a GitHub server, not "${baseUrl}"`);
  if (url.host === 'github.com' || url.host === 'api.github.com') return { api: 'https://api.github.com', web: 'https://github.com' };
  return { api: `${url.origin}/api/v3`, web: url.origin };
}

interface TokenRequest {
  readonly auth: GitHubAuth;
  readonly repo: Connection['repo'];
  readonly appToken: string;
}

async function requestToken(octokit: Octokit, { auth, repo, appToken }: TokenRequest): Promise<{ token: string; expiresAt: number }> {
  const headers = { authorization: `Bearer ${appToken}` };
  const known = auth.kind === 'app' ? auth.installationId : undefined;
  const installation_id = known ?? (await octokit.rest.apps.getRepoInstallation({ ...repo, headers })).data.id;
  const { data } = await octokit.rest.apps.createInstallationAccessToken({ installation_id, headers });
  return { token: data.token, expiresAt: Date.parse(data.expires_at) };
}

interface RequestSetup {
  readonly repo: Connection['repo'];
  readonly login: Login;
  readonly now: () => number;
  readonly counted: { sent: number };
  readonly classify: ErrorClassifier;
  readonly clock: ServerClock;
}

type Response = Awaited<ReturnType<Octokit['request']>>;

function prepareRequests(octokit: Octokit, { repo, login, now, counted, classify, clock }: RequestSetup): void {
  const cached = new Map<string, { readonly etag: string; readonly response: Response }>();
  let pausedUntil = 0;
  // Inner hooks of octokit hold the same object, so its options are changed in place.
  octokit.hook.wrap('request', async (request, options) => {
    if (now() < pausedUntil) refusePaused(pausedUntil);
    const isRead = options.method === 'GET' || options.method === 'HEAD';
    // `options.request` is shared by all requests, so this one gets a copy.
    const limits = { redirect: 'manual' as const, signal: AbortSignal.timeout(TIMEOUT_MS) };
    options.request = { ...options.request, ...(isRead ? {} : { retries: 0 }), ...limits };
    options.headers['x-github-api-version'] = API_VERSION;
    const asApp = options.headers.authorization !== undefined;
    const aheadWhenSigned = clock.lastAheadMs();
    const token = asApp ? '' : await login.token();
    if (!asApp) options.headers.authorization = `token ${token}`;
    const address = isRead ? octokit.request.endpoint.parse(options).url : '';
    const known = cached.get(address);
    if (known !== undefined) options.headers['if-none-match'] = known.etag;
    const send = async (): Promise<Response> => {
      counted.sent += 1;
      const response = await request(options);
      clock.note(response.headers.date, now());
      const target = await redirectTarget({ octokit, repo }, response);
      if (target === undefined) return response;
      redirect(options, target, octokit.request.endpoint.parse(options).body);
      return await request(options);
    };
    try {
      const response = await send();
      if (isRead && response.headers.etag !== undefined)
        addToCache(cached, address, { etag: response.headers.etag, response: copyOf(response) });
      return response;
    } catch (error) {
      if (isApiError(error)) clock.note(error.response?.headers.date, now());
      if (known !== undefined && isApiError(error, 304)) {
        const same = copyOf(known.response);
        return { ...same, headers: { ...same.headers, ...error.response?.headers } };
      }
      // GitHub checks the login before it acts, so a refused write can be sent again.
      if (!asApp && isApiError(error, 401) && (await login.renew(token))) {
        options.headers.authorization = `token ${await login.token()}`;
        delete options.headers['if-none-match'];
        return await send();
      }
      // A signature of an App is valid for ten minutes of GitHub's clock, and ours may differ.
      if (asApp && isApiError(error, 401) && login.appToken !== undefined && clock.lastAheadMs() !== aheadWhenSigned) {
        options.headers.authorization = `Bearer ${login.appToken()}`;
        return await send();
      }
      const failure = classify(error)?.failure;
      const isSecondary = isApiError(error, 403, 429) && String(error.response?.headers['x-ratelimit-remaining'] ?? '') !== '0';
      if (failure?.result === 'rate_limited' && isSecondary) pausedUntil = failure.until;
      throw error;
    }
  });
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 307, 308]);

/** The address that GitHub redirects to; undefined without a redirect. Refuses an address outside of the repository. */
async function redirectTarget({ octokit, repo }: RepositoryAccess, response: Response): Promise<string | undefined> {
  if (!REDIRECTS.has(response.status)) return undefined;
  const api = octokit.request.endpoint.DEFAULTS.baseUrl;
  const target = new URL(response.headers.location ?? '', `${api}/`).href;
  const [, id, rest] = target.startsWith(`${api}/`)
    ? (/^\/repositories\/(\d+)(\/[^?]*)?(?:\?|$)/.exec(target.slice(api.length)) ?? [])
    : [];
  // A renamed repository redirects to its id.
  const isSame = id !== undefined && (rest === undefined || Number(id) === (await octokit.rest.repos.get(repo)).data.id);
  if (isSame) return target;
  return refuseMissing(`this has moved to another repository at GitHub (${target}); Pawl acts in ${repo.owner}/${repo.repo} only`);
}

/** The options of a request that are not parameters of its address. */
const REQUEST_FIELDS: ReadonlySet<string> = new Set(['method', 'baseUrl', 'headers', 'mediaType', 'request']);

/** Changes the address of a request. The new address contains the parameters. */
function redirect(options: object, url: string, body: unknown): void {
  const parameters = options as Record<string, unknown>;
  for (const name of Object.keys(parameters)) if (!REQUEST_FIELDS.has(name)) delete parameters[name];
  Object.assign(parameters, { url }, body === undefined ? {} : { data: body });
}

// Octokit's pagination changes the data of a response.
function copyOf(response: Response): Response {
  return { ...response, data: structuredClone(response.data) };
}

function refusePaused(until: number): never {
  const message = `GitHub asked to pause (secondary rate limit) until ${new Date(until).toISOString()}`;
  return refuse({ result: 'rate_limited', message, until });
}

function addToCache<T>(cache: Map<string, T>, address: string, entry: T): void {
  cache.delete(address);
  cache.set(address, entry);
  const oldest = cache.size > CACHED_MAX ? cache.keys().next().value : undefined;
  if (oldest !== undefined) cache.delete(oldest);
}

/** A smaller difference counts as none: these dates are whole seconds, and responses take time to arrive. */
const SAME_MS = 5000;

/**
 * Measures how far the clock of a server is ahead of ours, from the dates of its responses. A measurement counts when the next one
 * confirms it: this machine may have slept while a response arrived.
 */
class ServerClock {
  private last = 0;
  private confirmed = 0;

  /** Measures with the `date` of a response that has just arrived. */
  note(date: unknown, now: number): void {
    const time = typeof date === 'string' ? Date.parse(date) : Number.NaN;
    if (Number.isNaN(time)) return;
    const difference = Math.abs(time - now) < SAME_MS ? 0 : time - now;
    if (Math.abs(difference - this.last) < SAME_MS) this.confirmed = difference;
    this.last = difference;
  }

  /** How far the server is ahead, in milliseconds; negative if it is behind. */
  aheadMs(): number {
    return this.confirmed;
  }

  /** The same, measured with the last response only. */
  lastAheadMs(): number {
    return this.last;
  }
}
