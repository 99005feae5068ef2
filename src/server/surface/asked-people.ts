// Asks the people whose approval a `pr_approval` check of a gate waits for: reviewers of a pull request, and members of a
// group. They are asked once per step.

import { isSamePerson } from '../../base/person.ts';
import { allChecks, checksIn, isBuiltIn } from '../../definition/check.ts';
import type { StepModel } from '../../definition/model.ts';
import { retryHintOf } from '../../forge/forge.ts';
import type { CommentTarget, ShownRun, SurfaceParts } from './run/surface.ts';

const PEOPLE_MAX = 15;

/** Asks the people that steps wait for, if they were not asked yet. Returns the steps whose people were asked. */
export async function askPeople(parts: SurfaceParts, showing: ShownRun, target: CommentTarget): Promise<readonly string[]> {
  const asked = [...showing.row.asked];
  const number = target.pr ?? target.issue;
  if (number === undefined) return asked;
  for (const request of requestsOf(parts, showing)) {
    if (asked.includes(request.path) || request.people.length === 0) continue;
    const { path, people, kind } = request;
    const key = `${showing.row.run}/surface/ask/${path}`;
    const answer =
      kind === 'review'
        ? await parts.forge.requestReviewers({ number, people }, key)
        : await parts.forge.notify({ target: request.target, people, message: request.message, number }, key);
    if (answer.result !== 'ok' && retryHintOf(answer).isTransient) continue;
    if (answer.result !== 'ok') parts.warn(new Error(`the people of ${path} of run ${showing.row.run} were not asked: ${answer.message}`));
    asked.push(path);
  }
  return asked;
}

type PeopleRequest = { readonly path: string; readonly people: readonly string[] } & (
  | { readonly kind: 'review' }
  | { readonly kind: 'decision'; readonly target: string; readonly message: string }
);

function requestsOf({ settings }: SurfaceParts, { view, pull }: ShownRun): PeopleRequest[] {
  const members = (groups: readonly string[]): readonly string[] => {
    const all = settings.membersOf?.(groups) ?? [];
    return all.filter((login) => pull === undefined || !isSamePerson(login, pull.author)).slice(0, PEOPLE_MAX);
  };
  const steps = new Map(view.definition.steps.map((step) => [step.id, step]));
  const reviews = view.report.waits.flatMap((wait): PeopleRequest[] => {
    const model = wait.kind === 'checks' ? steps.get(wait.step) : undefined;
    if (model === undefined || pull === undefined) return [];
    return [{ kind: 'review', path: wait.id, people: members(reviewersOf(model)) }];
  });
  const decisions = view.approvals.flatMap(({ run, approval }): PeopleRequest[] => {
    const { from } = approval.question;
    if (from === undefined) return [];
    const message = `Run ${run} waits for your decision at "${approval.step.replaceAll(/[^\w.:#/ -]/g, '')}". The comment of the run says how to decide.`;
    return [{ kind: 'decision', path: `${run}/${approval.path}`, people: members(from), target: from.join(', '), message }];
  });
  return [...reviews, ...decisions];
}

/** The groups whose approval a gate waits for. */
function reviewersOf(step: StepModel): string[] {
  return allChecks(checksIn(step)).flatMap((check) => (isBuiltIn(check, 'pr_approval') ? [check.from].flat() : []));
}
