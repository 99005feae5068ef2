// Owns questions that wait for a person: the question, what is shown with it, the options, and the digest a decision
// must name.

import { omitUndefined } from '../../base/fields.ts';
import type { Json } from '../../base/json.ts';
import { modelNamed } from '../../definition/address.ts';
import type { ApprovalModel, Definition } from '../../definition/model.ts';
import type { HumanWait } from '../../definition/question/asked-question.ts';
import { approvalDigest, subjectsDigest } from '../../definition/question/question-digest.ts';
import { type Activation, humanWaitOf, type Path } from '../../kernel/activation.ts';
import type { RunState } from '../../kernel/run-state.ts';
import type { ReceivedMail } from '../../store/store.ts';
import type { RunReader } from '../inspect.ts';
import { readValues } from '../values.ts';

/** A question that a person is asked. */
export interface OpenApproval {
  readonly path: Path;
  readonly step: string;
  readonly question: ApprovalModel;
  /** The digest of everything shown; a decision must name it. */
  readonly digest: string;
  readonly shown: Json;
  /** The subjects outside the run that the question is about, if any. */
  readonly subjects?: Json;
  /** The votes so far, if the question needs several people. */
  readonly votes?: readonly { readonly option: string; readonly actor: string }[];
  /** The void votes of the last round, and the number of rounds, if people chose differently. */
  readonly split?: { readonly times: number; readonly votes: readonly { readonly option: string; readonly actor: string }[] };
  readonly since: number;
  readonly due?: number;
  /** True if a decision must be signed with an enrolled key. */
  readonly signed: boolean;
  /** A decision that is recorded but not applied yet. A single vote of several does not count as one. */
  readonly posted?: { readonly option: string; readonly actor: string };
}

/** A question that waits for a person. It is not shown yet, and has no digest, until its external subjects were read. */
export type WaitingApproval = OpenApproval | (Omit<OpenApproval, 'digest'> & { readonly digest?: undefined });

/** Whether the question is shown to people. */
export function isAsked(approval: WaitingApproval): approval is OpenApproval {
  return approval.digest !== undefined;
}

/** A decision that no process has applied yet, as text. */
export function postedText({ option, actor }: NonNullable<OpenApproval['posted']>): string {
  return `decided: "${option}" by ${actor}; no process has applied it yet`;
}

/** Returns the questions of a run that wait for a person, oldest first, including those that are not shown yet. */
export async function openApprovals(core: RunReader, run: string): Promise<readonly WaitingApproval[]> {
  return approvalsIn(core, await core.store.load(run));
}

/** Returns the questions that wait in a run as it was loaded. A running run may have others a moment later. */
export async function approvalsIn(
  core: RunReader,
  { state, definition }: { readonly state: RunState; readonly definition: Definition },
): Promise<readonly WaitingApproval[]> {
  const asking = Object.values(state.live).flatMap((activation) => {
    const wait = humanWaitOf(activation);
    return wait === undefined ? [] : [{ activation, wait }];
  });
  if (asking.length === 0) return [];
  const approvals = await Promise.all(asking.map((question) => approvalOf(core, question, { state, definition })));
  const mail = await core.store.inbox(state.id, 0);
  return approvals.map((approval) => ({ ...approval, ...postedFor(approval, mail) })).sort((a, b) => a.since - b.since);
}

function postedFor({ path, digest, question }: WaitingApproval, mail: readonly ReceivedMail[]): Pick<OpenApproval, 'posted'> {
  for (const { input } of mail)
    if (input.type === 'decided' && input.path === path && input.digest === digest && (question.count ?? 1) === 1)
      return { posted: { option: input.option, actor: input.actor } };
  return {};
}

async function approvalOf(
  core: RunReader,
  { activation, wait }: { readonly activation: Activation; readonly wait: HumanWait },
  { state, definition }: { readonly state: RunState; readonly definition: Definition },
): Promise<WaitingApproval> {
  const { path, step, openedAt, deadline } = activation;
  const subjects = wait.outside?.seen?.subjects;
  const read = await readValues(core.store, [wait.shown, wait.question, subjects]);
  const question = (read(wait.question) ?? approvalModel(definition, step)) as ApprovalModel;
  return {
    path,
    step,
    question,
    shown: read(wait.shown) ?? {},
    ...(subjects === undefined ? {} : { subjects: read(subjects) }),
    ...omitUndefined({ digest: wait.digest, votes: wait.votes, split: wait.split }),
    since: openedAt,
    ...omitUndefined({ due: deadline }),
    signed: state.signed === true || wait.signed === true,
  };
}

/** Returns the question of a step, or of a member of a group, from the definition. */
export function approvalModel(definition: Definition, step: string): ApprovalModel | undefined {
  return modelNamed(definition, step)?.question;
}

/** Whether a question matches its digest, so that signing the digest signs what was shown. */
export function isAsShown({ question, shown, subjects, digest }: OpenApproval): boolean {
  const plain = approvalDigest(question, shown);
  return digest === (subjects === undefined ? plain : subjectsDigest(plain, subjects));
}
