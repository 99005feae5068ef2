// Combines the kind `command` for the registry, with its form in workflow files.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import { envOf, outputsOf, restrictionsOf } from '../../authoring/yaml/compile/part.ts';
import { type StageForm, stageForm } from '../../authoring/yaml/schema/form.ts';
import { outputRules, programRule } from '../../authoring/yaml/schema/rule.ts';
import { omitUndefined } from '../../base/fields.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { StepOf } from '../../definition/model.ts';
import type { KindExecutor } from '../../steps/work.ts';
import { command as compiler } from './compile.ts';
import { execute } from './run.ts';

/** A program, and what it must produce. */
const yaml: StageForm = stageForm({
  meaning: 'A program.',
  transitions: ['on_success', 'on_failure', 'on_conflict'],
  branch: 'worker',
  fields: ({ choice, program, outputs, fresh, restrictions, databases }) => ({
    ...program,
    outputs,
    fresh,
    ...restrictions,
    databases,
    on_fail: choice('`restore`: the same as `restore_on_fail: true`. Where a failure leads is `on_failure`.', ['restore']).optional(),
  }),
  toSpec({ run, argv, env, cwd, ...stage }) {
    return { ...omitUndefined({ command: run ?? argv, env: envOf(env), cwd }), ...outputsOf(stage), ...restrictionsOf(stage) };
  },
  rules: (stage, path) => [...programRule(stage, path), ...outputRules(stage, path)],
});

/** A program as a stage. */
function write({ config, outputs, fresh }: StepOf<'command'>): JsonObject {
  return omitUndefined({ ...(config as JsonObject), outputs: outputs as unknown as Json | undefined, fresh });
}

/** The registry entry of the kind `command`. */
export const commandKind: KindCompiler & KindExecutor = { ...compiler, execute, write, yaml };
