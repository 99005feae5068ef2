// Owns the kind `custom` as the registry has it: its declaration, how a stage of it is written, and its execution.

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

/** The kind `custom`: how it is declared and compiled and executed. */
export const customKind: KindCompiler & KindExecutor = { ...compiler, execute, write };
