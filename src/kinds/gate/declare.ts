// Owns what the kind `gate` declares: checks that let work pass or do not. They only look, so they can look again. What
// each check has to be given is declared in its folder below `checks`.

import type { Json } from '../../base/json.ts';
import { validateChecks } from '../../definition/check.ts';
import type { KindDeclaration } from '../../definition/kind.ts';

/** Checks by the engine: `{ checks: [{ check, … }] }`; `any_of` is a check made of others, of which one must pass. */
export const gate: KindDeclaration = {
  kind: 'gate',
  outcomes: [],
  recovery: 'rerun',
  validate(step, report) {
    const { checks } = step.config;
    if (!Array.isArray(checks) || checks.length === 0)
      return report.fault('it is a gate without checks', 'give at least one, such as { check: "command", run: "npm test" }');
    validateChecks(checks as readonly Json[], report);
  },
};
