// Owns the `permissions` of a workflow, which limit what its run may do at the forge and what its agents may do to files.
// Otherwise the project's settings apply.

import { type AgentPermissions, WORK_IN_PLACE } from '../../agents/driver.ts';
import type { Definition, OutputModel } from '../../definition/model.ts';

/** The target of an action that can be about an issue or a pull request. */
interface ActionTarget {
  readonly target?: string | undefined;
  readonly [field: string]: unknown;
}

type Area = keyof NonNullable<Definition['permissions']>;

const CHANGING = new Set(['edit', 'delete', 'move']);

/** Why a run may not do an action; undefined if it may. */
export function actionRefusal({ permissions = {} }: Definition, action: string, aim: ActionTarget): string | undefined {
  const missing = areasOf(action, aim).find((area) => (permissions[area] ?? 'write') !== 'write');
  return missing === undefined ? undefined : refusal(missing, permissions[missing]);
}

/** Why a run may not create an output at the forge; undefined if it may. */
export function outputRefusal(definition: Definition, { type, ...output }: Pick<OutputModel, 'type'>): string | undefined {
  return actionRefusal(definition, OUTPUT_ACTIONS[type] ?? type, output);
}

const OUTPUT_ACTIONS: Readonly<Record<string, string>> = { pr: 'open_pr', issue: 'create_issue' };

function refusal(area: Area, access: string | undefined): string {
  return `the workflow has the permission "${area}: ${access}", but this needs "${area}: write"`;
}

function areasOf(action: string, { target }: ActionTarget): readonly Area[] {
  switch (action) {
    case 'merge_pr':
      return ['contents', 'pull_requests'];
    case 'open_pr':
    case 'review':
      return ['pull_requests'];
    case 'push':
      return ['contents'];
    case 'discussion':
      return ['discussions'];
    case 'notify':
      return [];
    default:
      return [target === 'pr' ? 'pull_requests' : 'issues'];
  }
}

/** The permissions of a run's agent: those of its role, without file changes if the workflow forbids them. */
export function narrowPermissions({ permissions = {} }: Definition, allowed: AgentPermissions = WORK_IN_PLACE): AgentPermissions {
  if ((permissions.contents ?? 'write') === 'write') return allowed;
  return { ...allowed, allow: allowed.allow.filter((action) => !CHANGING.has(action)) };
}
