// Combines the kind `custom` for the registry, and writes its stages.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import { omitUndefined } from '../../base/fields.ts';
import type { JsonObject } from '../../base/json.ts';
import type { StepOf } from '../../definition/model.ts';
import type { KindExecutor } from '../../steps/work.ts';
import { custom as compiler } from './compile.ts';
import { execute } from './run.ts';

/** A step of an application's kind as a stage. */
function write({ config }: StepOf<'custom'>): JsonObject {
  return omitUndefined({ type: config.use, with: config.with ?? undefined });
}

/** The registry entry of the kind `custom`. */
export const customKind: KindCompiler & KindExecutor = { ...compiler, execute, write };
