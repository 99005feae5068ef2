// Owns the wording about approvals that the terminal and the page of a decision share: who decides, how people voted, and
// how an option ends the run.

import type { OpenApproval } from '../engine/request/approvals.ts';

/** Who decides, and the votes so far, as parts of a sentence; none if any one person may. */
export function voterTexts({ question: { from, count = 1 }, votes = [] }: OpenApproval): string[] {
  return [
    ...(from === undefined ? [] : [`for ${from.join(' or ')}`]),
    ...(count > 1 ? [`needs ${count} people`, `votes so far: ${votesText(votes) || 'none'}`] : []),
  ];
}

/** That the last vote does not count, if it was split. */
export function splitTexts({ split }: OpenApproval): string[] {
  return split === undefined ? [] : [`the last vote was split, so it does not count: ${votesText(split.votes)}`];
}

function votesText(votes: NonNullable<OpenApproval['votes']>): string {
  return votes.map(({ actor, option }) => `${actor}: ${option}`).join(', ');
}

/** What happens to the run at an end, after "the run". */
export const RUN_ENDS = { complete: 'completes', fail: 'fails', escalate: 'escalates', reject: 'ends rejected' } as const;
