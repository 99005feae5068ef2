// Owns what the kind `generate` declares: one answer of a model, reached by name or as a live object.

import { isJsonObject } from '../../base/json.ts';
import { isText, type KindDeclaration } from '../../definition/kind.ts';

/** A generation: `{ generator?, context? }`; without a name, the code has a live generator. */
export const generate: KindDeclaration = {
  kind: 'generate',
  outcomes: [],
  recovery: 'ask',
  validate(step, report) {
    const { generator, context } = step.config;
    if (generator !== undefined && !isText(generator)) report.fault('its generator is no name', 'name one, or give it as a value');
    if (context !== undefined && !isJsonObject(context)) report.fault('its context is no object', 'write values by name, or a function');
  },
};
