// Owns what the templates of a request can see of the run: the same as other templates. Secrets are not among it: they
// are added where they may go.

import type { JsonObject } from '../../base/json.ts';
import { scopeOf } from '../../definition/scope/scope.ts';
import type { Expression } from '../../expr/expression.ts';
import { scopeInputOf } from '../filling.ts';
import type { Job } from '../work.ts';

/** Returns the values that these templates read. */
export type TemplateScope = (templates: Pick<Expression, 'paths'>) => JsonObject;

/** The scope of the templates of a step's request. */
export function templateScope({ request, context }: Job): TemplateScope {
  return (templates) => scopeOf(templates, scopeInputOf(request, context.snapshot));
}
