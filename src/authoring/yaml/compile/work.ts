// Owns translating the work of a stage or a branch to the spec of a graph, with the help of its kind.

import { present } from '../../../base/fields.ts';
import type { CustomKind } from '../../../definition/custom-kind.ts';
import type { SharedSpec } from '../../graph/spec.ts';
import type { Compilers, KindCompiler } from '../../graph/work.ts';
import type { CheckSpec } from '../../spec/check.ts';
import type { WorkAndFrame, WrittenCheck, WrittenStage, WrittenUndo } from '../schema/form.ts';
import { hookOf } from './forge.ts';
import { envOf } from './part.ts';

/** The work of a stage or a branch; a branch without a type is an agent. */
export function workOf(stage: WrittenStage, compilers: Compilers): WorkAndFrame {
  const own = ownKindOf(stage, compilers);
  if (own !== undefined) return { use: own(stage.with as never) };
  const kinds: Readonly<Record<string, KindCompiler>> = compilers.kinds;
  const spec = kinds[stage.type ?? 'agent']?.yaml?.toSpec(stage as never, {
    checkOf: (check) => checkOf(check, compilers),
    memberOf: (branch) => [branch.id, { ...frameOf(branch), ...workOf(branch, compilers) }],
  });
  return { ...spec, ...present({ writes: stage.writes as readonly string[] | undefined }) };
}

/** The fields that every stage and branch has. Texts are templates where the schema allows; results stay in the outputs. */
export function frameOf({ name: title, condition, timeout, recovery, undo }: WrittenStage): SharedSpec {
  return { templates: true, merges: false, ...present({ title, condition, timeout, recovery, undo: undo && undoOf(undo) }) };
}

function undoOf(written: WrittenUndo): SharedSpec['undo'] {
  if (!('run' in written) && !('argv' in written)) return { forge: hookOf(written as never) as never, recovery: 'rerun' };
  const { run, argv, env, cwd, timeout, recovery } = written;
  return { command: (run ?? argv) as string, ...present({ env: envOf(env as never), cwd, timeout: timeout as never, recovery }) };
}

/** The kind of the application that a stage names, if it does. */
export function ownKindOf({ type }: WrittenStage, { customKinds = {} }: Compilers): CustomKind | undefined {
  return type !== undefined && Object.hasOwn(customKinds, type) ? customKinds[type] : undefined;
}

/** A check of a gate; all fields of one that has no form are its own. */
function checkOf(written: WrittenCheck, compilers: Compilers): CheckSpec {
  const { check, timeout } = written;
  const form = Object.hasOwn(compilers.checks, check) ? compilers.checks[check]?.yaml : undefined;
  const fields = form?.toSpec(written as never, (inner) => checkOf(inner, compilers)) ?? written;
  return { ...fields, check, ...present({ timeout }) } as CheckSpec;
}
