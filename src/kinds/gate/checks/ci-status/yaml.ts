// Owns how the check `ci_status` is written in a workflow file.

import { type CheckForm, checkForm } from '../../../../authoring/yaml/schema/form.ts';

const CONCLUSIONS = ['success', 'neutral', 'skipped', 'failure', 'cancelled', 'timed_out', 'action_required', 'stale'] as const;

/** The workflows of the forge that are looked at, and the conclusion each must have. */
export const yaml: CheckForm = checkForm({
  meaning: 'Waits for the checks of the forge.',
  fields: ({ texts, choice }) => ({
    workflows: texts('The workflows that are looked at. Default: all.', ['test', 'lint']).optional(),
    expect: choice('The conclusion that each must have. Default: success.', CONCLUSIONS).optional(),
  }),
  toSpec: ({ workflows = [], expect = 'success' }) => ({ workflows, expect }),
});
