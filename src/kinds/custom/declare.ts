// Declares the kind `custom`: a step whose kind an application defined.

import type { Json } from '../../base/json.ts';
import { isText, type KindDeclaration } from '../../definition/kind.ts';
import type { StepOf } from '../../definition/model.ts';

/** The name of the application's kind, its configuration, and its outcomes besides the common ones. */
export type CustomConfig = { readonly use: string; readonly with: Json; readonly outcomes: readonly string[] };

declare module '../../definition/model.ts' {
  interface WorkConfigs {
    custom: CustomConfig;
  }
}

/** Work of a kind that an application defined; it declares whether it may run again after a crash. */
export const custom: KindDeclaration = {
  kind: 'custom',
  worker: 'function',
  writesFiles: 'declared',
  effects: 'lasting',
  again: 'effects may repeat',
  effectText: () => 'what the step did outside the workspace',
  outcomes: (step) => (step.kind === 'custom' ? step.config.outcomes : []),
  recovery: 'ask',
  keepsRecovery: true,
  validate({ config }: StepOf<'custom'>, report) {
    if (!isText(config.use)) report.fault('`use` must be a kind of step', 'write use: deploy({ … }), where deploy is from defineStepKind');
    else if (report.kind(config.use) !== undefined) report.fault(`"${config.use}" is the name of a built-in kind`, 'choose another name');
  },
};
