// Owns what the kind `custom` declares: a kind of step that an application defined, by its name.

import type { Json } from '../../base/json.ts';
import { isText, type KindDeclaration } from '../../definition/kind.ts';
import type { StepKind, StepOf } from '../../definition/model.ts';

/** The name of the application's kind, its configuration, and its outcomes besides the common ones. */
export type CustomConfig = { readonly use: string; readonly with: Json; readonly outcomes: readonly string[] };

declare module '../../definition/model.ts' {
  interface WorkConfigs {
    custom: CustomConfig;
  }
}

/** The names that a kind of an application cannot have. */
const BUILT_IN: Record<StepKind, true> = {
  task: true,
  agent: true,
  gate: true,
  parallel: true,
  delay: true,
  webhook: true,
  human: true,
  workflow: true,
  command: true,
  action: true,
  each: true,
  validate: true,
  review: true,
  generate: true,
  signal: true,
  custom: true,
};

/** Work of a kind that an application defined; it says itself whether it may run again after a crash. */
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
    else if (config.use in BUILT_IN) report.fault(`"${config.use}" is the name of a built-in kind`, 'choose another name');
  },
};
