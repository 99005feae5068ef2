// Owns the warning about events that start both a workflow and, through the triggers of a role, an agent without a workflow.

import type { CheckedModule } from '../../authoring/discover/discover.ts';
import type { SourceProblem } from '../../authoring/discover/syntax.ts';
import { modelOf, roleTriggersOf } from '../../authoring/role-triggers.ts';
import type { Json } from '../../base/json.ts';
import type { TriggerModel } from '../../definition/trigger/trigger.ts';

/** The warning for a workflow whose trigger overlaps with those of roles. */
export function overlapProblems({ trigger }: Pick<CheckedModule, 'trigger'>, roles: Json | undefined): SourceProblem[] {
  if (trigger === undefined || roles === undefined || trigger.model.overrides === true) return [];
  const { model, line, column } = trigger;
  const started = roleTriggersOf(roles).filter(({ triggers }) => triggers.some((one) => overlaps(model, modelOf(one))));
  if (started.length === 0) return [];
  const names = started.map(({ role }) => `"${role}"`).join(', ');
  const [what, whose] = started.length === 1 ? ['role', 'its trigger'] : ['roles', 'their triggers'];
  return [
    {
      code: 'TRIGGER_OVERLAP',
      message: `the same event starts this workflow and, on their own, agents of the ${what} ${names}`,
      hint: `add "override_triggers: true" so that only the workflow starts, or remove ${whose} from the settings`,
      line,
      column,
    },
  ];
}

/** Whether an event can match both. */
function overlaps(workflow: TriggerModel, role: TriggerModel): boolean {
  const [one, other] = [workflow.event, role.event];
  if (one !== other && !one.startsWith(`${other}.`) && !other.startsWith(`${one}.`)) return false;
  // Both labels are the one that the event added.
  const wanted = [...(workflow.label === undefined ? [] : [workflow.label]), ...workflow.labels];
  return role.label === undefined || wanted.length === 0 || ((workflow.label ?? role.label) === role.label && wanted.includes(role.label));
}
