// Chooses the option for `approve` and `reject`, because authors name options freely. A wrong guess would record a decision
// that no one made, so an unclear case is an error that lists the options.
//
// An option approves if its outcome is ok and it leads forward. It rejects if its outcome is reject or fail, or if it ends
// the run rejected or failed. It sends back if it leads to the same step or an earlier one in the definition; sending back
// counts as a rejection only if no option rejects. Among several matches, the one with the label "approve" or "reject" wins.

import { EngineError } from '../base/error.ts';
import { topStepOf } from '../definition/address.ts';
import type { ApprovalOptionModel, Definition } from '../definition/model.ts';
import type { OpenApproval } from '../engine/request/approvals.ts';

/** The commands that decide without naming an option. */
export type Verdict = 'approve' | 'reject';

/** The option that a verdict chooses. */
export function optionFor(verdict: Verdict, approval: OpenApproval, definition: Definition): ApprovalOptionModel {
  const { options } = approval.question;
  const of = (meaning: Meaning): ApprovalOptionModel[] => options.filter((option) => meaningOf(option, approval, definition) === meaning);
  const rejecting = of('rejects');
  const fitting = verdict === 'approve' ? of('approves') : rejecting.length > 0 ? rejecting : of('sends back');
  const labelled = fitting.filter(({ label }) => label.toLowerCase() === verdict);
  const [only, ...others] = labelled.length === 1 ? labelled : fitting;
  if (only !== undefined && others.length === 0) return only;
  const problem = fitting.length === 0 ? `has no option that means "${verdict}"` : `has several options that mean "${verdict}"`;
  const labels = options.map(({ label }) => `"${label}"`).join(', ');
  throw new EngineError(
    'OPTION_INVALID',
    `approval "${approval.step}" ${problem}; choose one with "pawl decide RUN --option LABEL": ${labels}`,
    {
      details: { approval: approval.path, options: options.map(({ label }) => label) },
    },
  );
}

type Meaning = 'approves' | 'rejects' | 'sends back' | 'something else';

function meaningOf({ to, outcome }: ApprovalOptionModel, { step }: OpenApproval, { steps }: Definition): Meaning {
  if (outcome === 'reject' || outcome === 'fail') return 'rejects';
  if (to !== undefined && 'end' in to) {
    if (to.end === 'reject' || to.end === 'fail') return 'rejects';
    return to.end === 'complete' && outcome === 'ok' ? 'approves' : 'something else';
  }
  const place = (id: string): number => steps.findIndex((candidate) => candidate.id === topStepOf(id));
  if (to !== undefined && place(to.step) <= place(step)) return 'sends back';
  return outcome === 'ok' ? 'approves' : 'something else';
}
