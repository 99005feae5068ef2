// Rejects unknown options.

import { EngineError } from '../../base/error.ts';
import { unknownFields } from '../../base/suggest.ts';

/** Throws if the object has a field that is not among the known ones; `subject` names what it is for. */
export function checkOptions(subject: string, object: object, known: readonly string[]): void {
  const unknown = unknownFields(object, known);
  if (unknown.length > 0)
    throw new EngineError('DEFINITION_INVALID', `${subject}: ${unknown.join(', ')}; valid options: ${known.join(', ')}`);
}
