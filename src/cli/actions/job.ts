// Reads the job of GitHub Actions in which Pawl runs: its repository, its event, and whether it can be trusted.
//
// - Only workflows and settings of the default branch are run, because the maintainers agreed on them. A fork could change the
//   workflow that judges its pull request.
// - GitHub writes the payload of the event in the format of its webhooks.

import { readFileSync } from 'node:fs';
import { digestText } from '../../base/digest.ts';
import { EngineError, messageOf } from '../../base/error.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { GitHubForge } from '../../forge/github/github-forge.ts';
import { git } from '../../process/git.ts';
import type { ReceivedDelivery } from '../../server/events/deliveries.ts';
import { eventOf, keyOfEvent, SOURCE_HEADER } from '../../server/triggers/received-event.ts';
import { usageError } from '../command.ts';
import type { Shell } from '../shell.ts';

/** A job of GitHub Actions. */
export interface Job {
  /** `owner/name`. */
  readonly repository: string;
  /** The id of the run at GitHub, which does not change when it is run again. */
  readonly id: string;
  /** The name of the event as a webhook: `issue_comment`. */
  readonly event: string;
  readonly payload: JsonObject;
}

const WEBHOOK_NAMES: Readonly<Record<string, string>> = { pull_request_target: 'pull_request' };

/** Reads the job of this process from the variables that GitHub sets. */
export function readJob({ env }: Pick<Shell, 'env'>): Job {
  const need = (name: string): string => {
    const value = env[name];
    if (value !== undefined && value !== '') return value;
    throw usageError(`${name} is not set: "pawl actions run" is for a job of GitHub Actions; "pawl serve" is for your own machine`);
  };
  const name = need('GITHUB_EVENT_NAME');
  return {
    ...{ repository: need('GITHUB_REPOSITORY'), id: need('GITHUB_RUN_ID') },
    ...{ event: WEBHOOK_NAMES[name] ?? name, payload: payloadIn(need('GITHUB_EVENT_PATH')) },
  };
}

function payloadIn(file: string): JsonObject {
  let payload: unknown;
  try {
    payload = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw usageError(`the event ${file} (GITHUB_EVENT_PATH) cannot be read: ${messageOf(cause)}`, { cause });
  }
  if (isJsonObject(payload as never)) return payload as JsonObject;
  throw usageError(`the event ${file} (GITHUB_EVENT_PATH) is not a JSON object`);
}

/** The event as a delivery; undefined for a schedule, which only continues waiting runs. */
export function deliveryOf({ event, payload, id: job }: Job, now: number): ReceivedDelivery | undefined {
  if (event === 'schedule') return undefined;
  const { action } = payload;
  const id = `actions-${job}`;
  const name = typeof action === 'string' ? `${event}.${action}` : event;
  const headers = { [SOURCE_HEADER]: 'webhook' };
  const key = keyOfEvent(eventOf({ headers, body: payload, delivery: id, event: name, receivedAt: now }));
  const digest = digestText(`${id}\n${JSON.stringify(payload)}`);
  return { route: 'github', id, event: name, headers, body: payload, key, digest };
}

/** Whether the event is about a pull request from a fork, for which GitHub gives the job no secrets and a read-only token. */
export function isReadOnly({ payload }: Job, { env }: Pick<Shell, 'env'>): boolean {
  if (env.GITHUB_EVENT_NAME === 'pull_request_target') return false;
  const { pull_request: pull, repository } = payload;
  const head = isJsonObject(pull) && isJsonObject(pull.head) ? pull.head.repo : undefined;
  const from = isJsonObject(head) ? head.full_name : undefined;
  const here = isJsonObject(repository) ? repository.full_name : undefined;
  return pull !== undefined && head !== undefined && from !== here;
}

/** Throws unless the checked-out commit is on the default branch. */
export async function assertDefaultBranch(forge: GitHubForge, checkout: string): Promise<void> {
  const repository = await forge.repository();
  if (repository.result !== 'ok')
    throw new EngineError('STORE_UNAVAILABLE', `cannot read the repository from GitHub: ${repository.message}; run the job again`);
  const { defaultBranch } = repository.value;
  const head = await git(checkout, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  const found = await forge.readRef({ folder: checkout, ref: `refs/heads/${defaultBranch}` });
  const [ours, theirs] = [head.ok ? head.stdout.trim() : undefined, found.result === 'ok' ? found.value.sha : undefined];
  if (ours !== undefined && theirs !== undefined) {
    if (ours === theirs || (await git(checkout, ['merge-base', '--is-ancestor', ours, theirs])).ok) return;
  }
  throw new EngineError(
    'NOT_TRUSTED',
    `the checked-out commit (${ours?.slice(0, 12) ?? 'nothing'}) is not on the default branch "${defaultBranch}", so its workflows and settings are not run; ` +
      `use actions/checkout with "ref: ${defaultBranch}" and "fetch-depth: 0"`,
  );
}
