// Owns the sentence that says why a step did not succeed, from its error and its result: the failed checks of a gate, the
// failed stages of a validation, the decision of a person, or what a worker reported as `error`.

import { isJsonObject, type Json } from '../base/json.ts';

/** How a step ended, as far as the sentence needs it. */
interface FailedStep {
  readonly outcome: string;
  readonly output: Json;
  readonly error?: { readonly message: string } | undefined;
}

/** Why a step did not succeed: `gate "checks" failed: npm test: it exited with 1`. */
export function failureText(step: string, { outcome, output, error }: FailedStep): string {
  const found = isJsonObject(output) ? output : {};
  const stages = failedStages(found.stages);
  if (error !== undefined) return stages.length === 0 ? error.message : `${error.message}: ${stages.join('; ')}`;
  const checks = failedChecks(output);
  if (checks !== undefined) return `gate "${step}" failed: ${checks}`;
  if (typeof found.error === 'string') return found.error;
  const { option, actor, input } = found;
  if (typeof option === 'string' && typeof actor === 'string')
    return `${actor} decided "${option}" at step "${step}"${typeof input === 'string' && input !== '' ? `: ${input}` : ''}`;
  return `step "${step}" settled "${outcome}"`;
}

/** The failed checks in the result of a gate, with why each failed; undefined if it is not one. */
export function failedChecks(output: Json): string | undefined {
  const failed = isJsonObject(output) ? output.failed_checks : undefined;
  return Array.isArray(failed) && failed.length > 0 ? failed.map(String).join('; ') : undefined;
}

function failedStages(stages: Json | undefined): string[] {
  return (Array.isArray(stages) ? stages : []).filter(isJsonObject).flatMap(({ name, passed, exitCode, stderr }) => {
    if (passed !== false) return [];
    const how = typeof exitCode === 'number' ? `exited with ${exitCode}` : 'did not finish';
    return [`${String(name)} ${how}${typeof stderr === 'string' && stderr !== '' ? `: ${stderr}` : ''}`];
  });
}
