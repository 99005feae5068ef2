// Combines the kind `action` for the registry, with its form in workflow files.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import { forgeOf } from '../../authoring/yaml/compile/forge.ts';
import { type StageForm, stageForm } from '../../authoring/yaml/schema/form.ts';
import { labelRule } from '../../authoring/yaml/schema/rule.ts';
import { withoutEmpty } from '../../authoring/yaml/write/word.ts';
import type { JsonObject } from '../../base/json.ts';
import type { StepOf } from '../../definition/model.ts';
import type { KindExecutor } from '../../steps/work.ts';
import { action as compiler } from './compile.ts';
import { execute } from './run.ts';

/** An action by its name, with its fields. */
const yaml: StageForm = stageForm({
  meaning: 'An action at the forge.',
  transitions: ['on_success'],
  fields: () => ({}),
  variants: {
    key: 'action',
    of: ({ ACTIONS, ACTION_MEANINGS }) =>
      Object.fromEntries(
        (Object.keys(ACTIONS) as (keyof typeof ACTIONS)[]).map((name) => [
          name,
          {
            meaning: ACTION_MEANINGS[name],
            fields: ACTIONS[name],
            transitions: name === 'merge_pr' ? ['on_conflict', 'on_ci_failure'] : [],
          },
        ]),
      ),
  },
  toSpec: (stage) => ({ forge: forgeOf(stage as unknown as Parameters<typeof forgeOf>[0]) }),
  rules: (stage, path) => ('action' in stage && stage.action === 'label' ? labelRule(stage, path) : []),
});

/** An action as a stage. */
function write({ config }: StepOf<'action'>): JsonObject {
  return withoutEmpty(config);
}

/** The registry entry of the kind `action`. */
export const actionKind: KindCompiler & KindExecutor = { ...compiler, execute, write, yaml };
