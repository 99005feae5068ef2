// Owns how a `generate` step is written: who writes the text, and their instructions.

import type { MethodArguments } from '../../authoring/flow/method.ts';
import type { StepParts } from '../../authoring/flow/model.ts';
import { builtCode, takeFunctions } from '../../authoring/graph/built.ts';
import { LIVE_AGENT } from '../../authoring/graph/shape.ts';
import type { KindCompiler } from '../../authoring/graph/work.ts';
import { objectShape } from '../../authoring/spec/shape.ts';
import { budgetOf, contextOf, liveCode, readContext, workerOf } from '../../authoring/spec/worker.ts';
import { present } from '../../base/fields.ts';
import type { WorkOf } from '../../definition/model.ts';
import { generate as declaration, type GenerateConfig, parseGenerate } from './declare.ts';
import type { GenerateStep } from './spec.ts';

/** The kind `generate`. */
export const generate: KindCompiler = {
  ...declaration,
  field: 'generate',
  flow: { generate: { most: 1, first: objectShape<object>({}, { example: '{ generator: "writer", prompt: "…" }' }), build } },
  shapes: { generate: LIVE_AGENT },
  beside: ['prompt', 'context', 'budget'],
  literals: ({ config: { prompt, context } }: WorkOf<'generate'>) => ({ prompt, context }),
  read(spec, { step }) {
    const generator = typeof spec.generate === 'string' ? spec.generate : undefined;
    const { context, code } = readContext(spec, step);
    const { data, built } = takeFunctions({ prompt: spec.prompt }, { prompt: 'text' }, { step });
    const config = { generator, prompt: data.prompt, context, budget: spec.budget };
    return {
      work: { kind: 'generate', config: step.parse(config, 'its generation', parseGenerate) },
      code: { ...code, ...builtCode(built), ...liveCode(spec.generate, step) },
    };
  },
};

/** A step that generates text. */
function build(name: string, [spec]: MethodArguments<GenerateStep<never>, 'generate'>): StepParts {
  const { generator, prompt, context, budget, ...options } = spec;
  const worker = workerOf(name, 'generator', generator);
  const passed = contextOf(name, context);
  const config: GenerateConfig = { ...present({ generator: worker.role, prompt }), ...budgetOf(name, budget), ...passed.config };
  return {
    name,
    work: { kind: 'generate', config },
    code: { ...worker.code, ...passed.code },
    options,
    fields: ['generator', 'prompt', 'context', 'budget'],
  };
}
