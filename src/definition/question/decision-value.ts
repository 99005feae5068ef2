// Owns a person's decision as a value: the result of the step that asked.

import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';

/** Who chose what, and what they wrote. */
interface Choice {
  readonly option: string;
  readonly actor: string;
  readonly text?: string | undefined;
}

/** The circumstances of the choice. */
interface ChoiceContext {
  /** The digest of what was shown. */
  readonly digest: string;
  /** Who agreed, if several people had to. */
  readonly people?: readonly string[];
  /** Fields that an approval of outside subjects adds. */
  readonly added?: Json;
}

/** The decision as the step's result, with who agreed if several had to, and the fields that an approval adds. */
export function decisionValue({ option, actor, text }: Choice, { digest, people = [], added = null }: ChoiceContext): JsonObject {
  return {
    option,
    actor,
    digest,
    ...(text === undefined ? {} : { input: text }),
    ...(people.length > 1 ? { people: [...people] } : {}),
    ...(isJsonObject(added) ? added : {}),
  };
}
