// Declares the kind `action`: something that the engine does on the forge.

import { messageOf } from '../../base/error.ts';
import { type ForgeAction, parseForgeAction } from '../../definition/forge/forge-action.ts';
import type { KindDeclaration } from '../../definition/kind.ts';
import type { StepOf } from '../../definition/model.ts';

declare module '../../definition/model.ts' {
  interface WorkConfigs {
    action: ForgeAction;
  }
}

/** An action on the forge. It has an idempotency key, so it can safely be requested again. */
export const action: KindDeclaration = {
  kind: 'action',
  onlyLooks: true,
  isBeyondAgents: true,
  undoText: ({ config }: StepOf<'action'>) => config.action,
  effects: 'lasting',
  again: 'done again, unless already done',
  effectText: ({ config }: StepOf<'action'>) => `the action at the forge: ${config.action}`,
  lands: ({ config }: StepOf<'action'>) => config.action === 'merge_pr',
  pullRequestOf: ({ config }: StepOf<'action'>) => ('pr' in config ? config.pr : undefined),
  outcomes: ['conflict', 'ci_failure', 'stale_head', 'stale_tree'],
  recovery: 'rerun',
  validate({ config }: StepOf<'action'>, report) {
    try {
      parseForgeAction(config);
    } catch (thrown) {
      report.fault(`\`forge\` is invalid: ${messageOf(thrown)}`, 'write an action such as { action: "merge_pr" }');
    }
  },
};
