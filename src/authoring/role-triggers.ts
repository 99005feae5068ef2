// Compiles the triggers of roles: an event starts an agent of that role without a workflow file. It runs as a workflow of one
// stage, so that it is recorded, limited and stopped like every other run.
//
// - The agent learns what happened and decides what to do. It may write a comment or open a pull request, or neither.

import { omitUndefined } from '../base/fields.ts';
import { isJsonObject, type Json } from '../base/json.ts';
import type { TriggerModel } from '../definition/trigger/trigger.ts';
import type { GeneratedWorkflow } from './review-policy.ts';

/** An event that starts a role. */
export interface RoleTrigger {
  readonly event: string;
  /** The label that was just added. */
  readonly label?: string;
}

/** A workflow that is generated for a role, with its triggers. */
export interface RoleWorkflow {
  readonly workflow: GeneratedWorkflow;
  readonly trigger: TriggerModel;
}

const PROMPT =
  'You were started by an event at the forge, on your own: no workflow comes before or after you. ' +
  'What happened is in the context. Do what your role is for, and nothing that goes beyond it. ' +
  'You may answer with a comment, or with a pull request for what you changed; if there is nothing to do, say so.';

const CONTEXT = {
  action: "{{ trigger.action ?? '' }}",
  by: "{{ trigger.sender.login ?? '' }}",
  title: "{{ trigger.pull_request.title ?? trigger.issue.title ?? '' }}",
  body: "{{ trigger.pull_request.body ?? trigger.issue.body ?? '' }}",
  comment: "{{ trigger.comment.body ?? trigger.review.body ?? '' }}",
};

/** The name of the workflow that is generated for a role. */
function roleWorkflowName(role: string): string {
  return `role-${role}`;
}

/** The workflows of roles with triggers. `roles` must be valid. */
export function compileRoleTriggers(roles: Json): RoleWorkflow[] {
  return roleTriggersOf(roles).map(({ role, triggers }) => {
    const [first, ...rest] = triggers.map(modelOf) as [TriggerModel, ...TriggerModel[]];
    return { workflow: workflowOf(role, triggers[0] as RoleTrigger), trigger: rest.length === 0 ? first : { ...first, or: rest } };
  });
}

/** The triggers of each role that has any. */
export function roleTriggersOf(roles: Json): { readonly role: string; readonly triggers: readonly RoleTrigger[] }[] {
  if (!isJsonObject(roles)) return [];
  return Object.entries(roles).flatMap(([role, setting]) => {
    const triggers = isJsonObject(setting) ? setting.triggers : undefined;
    return Array.isArray(triggers) && triggers.length > 0 ? [{ role, triggers: triggers as unknown as readonly RoleTrigger[] }] : [];
  });
}

/** The trigger of a role as a workflow trigger. */
export function modelOf({ event, label }: RoleTrigger): TriggerModel {
  return { event, labels: [], baseBranches: [], isOfRole: true, ...omitUndefined({ label }) };
}

function workflowOf(role: string, { event, label }: RoleTrigger): GeneratedWorkflow {
  return {
    apiVersion: 'pawl.dev/v1',
    kind: 'Workflow',
    metadata: { name: roleWorkflowName(role), description: `Generated from the triggers of the role "${role}"` },
    trigger: { event, ...(label === undefined ? {} : { conditions: { label } }) },
    context: CONTEXT,
    stages: [
      {
        ...{ id: role, type: 'agent', agent: role, prompt: PROMPT },
        outputs: [
          { name: 'comment', type: 'comment' },
          { name: 'pr_number', type: 'pr' },
        ],
      },
    ],
  };
}
