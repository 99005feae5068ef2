// Owns the scope of the templates of a request: the same as of other templates. Secrets are added only where they may be sent.

import type { JsonObject } from '../../base/json.ts';
import { scopeOf } from '../../definition/scope/scope.ts';
import type { Expression } from '../../expr/expression.ts';
import { scopeInputOf } from '../template-rendering.ts';
import type { Job } from '../work.ts';

/** Returns the values that these templates read. */
export type TemplateScope = (templates: Pick<Expression, 'paths'>) => JsonObject;

/** The scope of the templates of a step's request. */
export function templateScope({ request, context }: Job): TemplateScope {
  return (templates) => scopeOf(templates, scopeInputOf(request, context.snapshot));
}
