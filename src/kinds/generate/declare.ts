// Declares the kind `generate`: one answer of a model, reached by name or as a live object.

import { omitUndefined } from '../../base/fields.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { Budget } from '../../definition/budget.ts';
import { fieldReader, readBudget } from '../../definition/field-reader.ts';
import { isText, type KindDeclaration, type KindReport } from '../../definition/kind.ts';
import type { StepOf } from '../../definition/model.ts';

/** The generator and its instructions; without a name, the code has a live generator. */
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
  validate({ config }: StepOf<'generate'>, report) {
    parseGenerate(config, report);
  },
};

/** Parses the generator and its instructions. */
export function parseGenerate(given: unknown, report: KindReport): GenerateConfig {
  const read = fieldReader(given, report);
  const { optional } = read;
  return omitUndefined({
    generator: optional('generator', isText, ['`generator` must be a name', 'write one, or give it as a value']),
    prompt: optional('prompt', isText, ['`prompt` must be a string', 'write one, or leave prompt out']),
    context: optional('context', isJsonObject, ['`context` must be an object', 'write values by name, or a function']),
    budget: readBudget(read),
  });
}
