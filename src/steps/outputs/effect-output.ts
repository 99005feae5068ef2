// Owns outputs that an author's function finds, such as a database row. The step has produced one if the function returns
// something else after the work than before.

import { digestJson } from '../../base/digest.ts';
import { EngineError, messageOf } from '../../base/error.ts';
import { type Json, toPlain } from '../../base/json.ts';
import { AttemptStopped, untilStopped } from '../abort.ts';
import type { Job } from '../work.ts';
import type { OutputDeclaration } from './declaration.ts';
import { missingFinding, type OutputFinding, producedFinding } from './finding.ts';
import type { FileDigests } from './workspace-digest.ts';

const WHOLE = 'value';

/** The key of an effect among the digests of a step's outputs. */
export function effectKey({ name }: OutputDeclaration): string {
  return `effect:${name}`;
}

/** Calls the function; null if it finds nothing. */
export async function findEffect(
  { request, context }: Job,
  { name }: OutputDeclaration,
): Promise<{ readonly value: Json; readonly digests: FileDigests }> {
  const { code, model } = request.bound;
  const subject = `the output "${name}" of step "${model.id}"`;
  try {
    const found = await untilStopped(Promise.resolve(code.finds?.[name]?.(context as never)), request.signal);
    const value = toPlain(found === undefined || found === false ? null : found, subject);
    return { value, digests: new Map(value === null ? [] : [[WHOLE, digestJson(value)]]) };
  } catch (thrown) {
    if (thrown instanceof AttemptStopped) throw thrown;
    throw new EngineError('CONDITION_ERROR', `${subject} could not be searched: ${messageOf(thrown)}`, { cause: thrown });
  }
}

/** Checks an effect: it must exist now, and differ from before. */
export async function checkEffect(job: Job, output: OutputDeclaration, before: FileDigests | undefined): Promise<OutputFinding> {
  const { value, digests } = await findEffect(job, output);
  if (value === null) return missingFinding(output, 'nothing was found', 'make sure that the work takes effect');
  if (before?.get(WHOLE) !== digests.get(WHOLE)) return producedFinding(output, value, 'found, and changed by the step');
  return missingFinding(output, 'the step did not change what was found', 'make sure that the work takes effect');
}
