// Owns what the kind `generate` declares: one answer of a model, reached by name or as a live object.

import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { Budget } from '../../definition/budget.ts';
import { isText, type KindDeclaration, validateBudget } from '../../definition/kind.ts';
import type { StepOf } from '../../definition/model.ts';

/** Who writes and their instructions; without a name, the code has a live generator. */
export type GenerateConfig = {
  readonly generator?: string;
  readonly prompt?: string;
  readonly context?: JsonObject;
  readonly budget?: Budget;
};

declare module '../../definition/model.ts' {
  interface WorkConfigs {
    generate: GenerateConfig;
  }
}

/** A text. */
export const generate: KindDeclaration = {
  kind: 'generate',
  worker: 'generator',
  writesFiles: 'any',
  effects: 'passing',
  again: 'costs again',
  outcomes: [],
  recovery: 'ask',
  validate({ config: { generator, prompt, context, budget } }: StepOf<'generate'>, report) {
    if (generator !== undefined && !isText(generator)) report.fault('`generator` must be a name', 'write one, or give it as a value');
    if (prompt !== undefined && !isText(prompt)) report.fault('`prompt` must be a text', 'write one, or leave prompt out');
    if (context !== undefined && !isJsonObject(context)) report.fault('`context` must be an object', 'write values by name, or a function');
    validateBudget(budget, report);
  },
};
