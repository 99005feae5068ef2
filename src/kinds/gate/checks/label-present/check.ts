// Combines the check `label_present` for the registry, with its form in workflow files.

import type { CheckCompiler } from '../../../../authoring/graph/work.ts';
import { listOf } from '../../../../authoring/yaml/compile/part.ts';
import { checkForm } from '../../../../authoring/yaml/schema/form.ts';
import { omitUndefined } from '../../../../base/fields.ts';
import type { GateCheck } from '../../../../steps/check.ts';
import { labelPresentCheck as declaration } from './declare.ts';
import { run } from './run.ts';

const yaml = checkForm({
  meaning: 'Waits until the issue or the pull request has a label.',
  fields: ({ oneOrMore, choice, literal }) => ({
    label: oneOrMore('The label, or several labels that must all be present.', 'ready-to-merge'),
    target: choice('What must have the label. Default: the issue if the run is about one, otherwise the pull request.', [
      'issue',
      'pr',
    ]).optional(),
    pr: literal('The stage that opened the pull request. Default: the pull request of the run.', 'open-docs').optional(),
  }),
  toSpec: ({ label, target, pr }) => ({ label: listOf(label), ...omitUndefined({ target, pr }) }),
});

/** The registry entry of the check `label_present`. */
export const labelPresentCheck: CheckCompiler & GateCheck = { ...declaration, run, yaml };
