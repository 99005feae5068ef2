// Owns the schema of reactions, which say what a run does on an event of the forge: a list, or a map by event.

import * as z from 'zod';
import { REACTIONS, REVIEW_STATES } from '../../../definition/trigger/reaction.ts';
import { choice, count, flag, literal, map, noted, oneOrMore, prose, texts } from './field.ts';

const conditions = map(
  'conditions of a reaction',
  {
    label: literal('The label that was just added or removed.', 'approved').optional(),
    labels: texts('Labels that must all be present.', ['feature', 'security']).optional(),
    assignee_is_bot: flag('Whether the assignee must be a bot, or must not.').optional(),
    milestone: literal('The milestone.', 'v1.0').optional(),
    base_branch: oneOrMore('The branch that a pull request goes to, or one of several.', 'main').optional(),
    review_state: choice('The state of the review that was submitted.', REVIEW_STATES).optional(),
  },
  'Further conditions.',
);

const reaction = choice(
  'What the run does: its gates check again, it goes back to a stage and earlier verdicts no longer count, it is cancelled, people are notified, or its agent gets a note about the event.',
  REACTIONS,
);

const fields = {
  conditions: conditions.optional(),
  do: reaction,
  stage: literal('The stage to go back to: needed to restart, optional to wake an agent.', 'review').optional(),
  max: count('How often a run goes back because of it; after that it escalates. Default: 3.', 3).optional(),
  notify: literal('notify: the group or the person.', 'maintainers').optional(),
  message: prose('notify: the message. Default: what happened, and to which run.', 'New commits were pushed to the branch.').optional(),
};

const listed = map('a reaction', { event: literal('The event.', 'issues.closed'), ...fields });
const byEvent = map('a reaction to an event', fields);

/** What a run does when something happens at the forge. */
export const onEvents = noted(z.union([z.array(listed), z.record(z.string(), z.union([reaction, byEvent]))]), {
  description: 'What a run does when something happens at the forge: a list, or a map from events to reactions.',
  examples: [
    { 'issues.closed': 'cancel', 'pull_request.synchronize': { do: 'invalidate_and_restart', stage: 'review' } },
    [{ event: 'pull_request_review.submitted', conditions: { review_state: 'changes_requested' }, do: 'wake_agent', stage: 'implement' }],
  ],
  accepts: 'a map from events to reactions, or a list of reactions',
});

/** A reaction of a workflow file. */
export type YamlReaction = z.infer<typeof listed>;
