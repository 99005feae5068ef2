// Owns completing a trigger from the command line: fetches the issue or pull request from the forge, so that a workflow
// that expects an event can be started with a number.

import { EngineError } from '../../base/error.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { Forge, ForgeAnswer, IssueFacts, PullRequestFacts } from '../../forge/forge.ts';
import { openForge } from '../forge/session.ts';
import { closing, type Place } from '../session.ts';
import type { Shell } from '../shell.ts';
import { type Trigger, triggerOf } from './trigger.ts';

/** The trigger with the data of its issue or pull request from the forge; an event with a payload is not changed. */
export async function completeTrigger(shell: Shell, place: Place, trigger: Trigger | undefined): Promise<Trigger | undefined> {
  if (trigger === undefined || trigger.origin.event !== undefined) return trigger;
  const forge = await openForge(shell, place);
  if (forge === undefined) return trigger;
  return closing(forge, async () => triggerOf(await payloadOf(forge, trigger), { option: trigger.option }));
}

async function payloadOf(forge: Forge, { origin, option }: Trigger): Promise<JsonObject> {
  const { name, defaultBranch } = factsIn(await forge.repository(), forge, option);
  const repository = { name, default_branch: defaultBranch };
  return origin.pr === undefined
    ? { issue: issueOf(factsIn(await forge.issue(origin.issue ?? 0), forge, option)), repository }
    : { pull_request: pullRequestOf(factsIn(await forge.pullRequest(origin.pr), forge, option)), repository };
}

function factsIn<T>(answer: ForgeAnswer<T>, forge: Forge, option: string): T {
  if (answer.result === 'ok') return answer.value;
  const isMissing = answer.result === 'not_found';
  throw new EngineError(
    isMissing ? 'USAGE' : 'STORE_UNAVAILABLE',
    `cannot read ${option} from the ${forge.name} forge: ${answer.message}; ${isMissing ? 'use a number that exists' : 'try again later'}`,
    { details: { result: answer.result } },
  );
}

function issueOf({ number, title, body, labels, state, author }: IssueFacts): JsonObject {
  return { number, title, body, state, labels: named(labels), user: { login: author } };
}

function pullRequestOf({ number, title, body, labels, state, author, ...pr }: PullRequestFacts): JsonObject {
  return {
    number,
    title,
    body,
    state: state === 'open' ? 'open' : 'closed',
    merged: state === 'merged',
    mergeable: pr.mergeable,
    labels: named(labels),
    user: { login: author },
    head: { ref: pr.headBranch, sha: pr.headSha },
    base: { ref: pr.baseBranch },
  };
}

function named(labels: readonly string[]): Json[] {
  return labels.map((name) => ({ name }));
}
