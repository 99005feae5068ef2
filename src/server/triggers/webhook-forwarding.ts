// Receives the webhooks of several projects, which one process serves, at one address: a webhook is forwarded to the
// project of its repository.
//
// WN1. A body is parsed only after its signature matches the secret of one of the projects, and the project that gets it checks
//      the signature with its own secret: the secret of one repository cannot be used to send events of another.

import { isJsonObject, type Json, parseJsonObject } from '../../base/json.ts';
import { type GitHubRequest, githubProblem } from './github-hook.ts';

/** Another project that the same process serves. */
export interface WebhookProject {
  /** `owner/name`. */
  readonly repository: string;
  /** The secret that its webhooks are signed with. */
  readonly secret: () => Promise<string>;
  readonly fetch: (request: Request) => Promise<Response>;
}

/** The project that a webhook is for; undefined if there is none, or if no signature matches. */
export async function projectOfWebhook(projects: readonly WebhookProject[], request: GitHubRequest): Promise<WebhookProject | undefined> {
  for (const { secret } of projects) {
    const value = await secret().catch(() => '');
    if (githubProblem(value, request) !== undefined) continue;
    const name = repositoryIn(request.body)?.toLowerCase();
    return projects.find(({ repository }) => repository.toLowerCase() === name);
  }
  return undefined;
}

function repositoryIn(body: Uint8Array): string | undefined {
  const repository = parseJsonObject(Buffer.from(body).toString('utf8'))?.repository;
  return isJsonObject(repository) && typeof repository.full_name === 'string' ? repository.full_name : undefined;
}

const HEADERS = ['content-type', 'x-github-event', 'x-github-delivery', 'x-hub-signature-256'];

/** Forwards a webhook. Returns the response of the other project, or undefined if it rejected the webhook. */
export async function forwardWebhook({ fetch }: WebhookProject, { body, header }: GitHubRequest): Promise<Json | undefined> {
  const headers = HEADERS.flatMap((name): [string, string][] => {
    const value = header(name);
    return value === undefined ? [] : [[name, value]];
  });
  const response = await fetch(new Request('http://127.0.0.1/hooks/github', { method: 'POST', headers, body: Buffer.from(body) }));
  return response.ok ? ((await response.json()) as Json) : undefined;
}
