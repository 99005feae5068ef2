// Owns what the kind `action` declares: something that the engine does on the forge.

import type { Json } from '../../base/json.ts';
import { isText, type KindDeclaration } from '../../definition/kind.ts';
import type { StepOf } from '../../definition/model.ts';

/** An action by its name, with the fields that this action has. */
export type ActionConfig = { readonly action: string; readonly [field: string]: Json };

declare module '../../definition/model.ts' {
  interface WorkConfigs {
    action: ActionConfig;
  }
}

/** An action on the forge. It has an idempotency key, so it can be requested again. */
export const action: KindDeclaration = {
  kind: 'action',
  outcomes: ['conflict', 'ci_failure', 'stale_head', 'stale_tree'],
  recovery: 'rerun',
  validate({ config }: StepOf<'action'>, report) {
    if (!isText(config.action)) report.fault('`action` must name what to do', 'write a name such as "merge_pr"');
  },
};
