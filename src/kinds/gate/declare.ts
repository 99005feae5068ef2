// Declares the kind `gate`: checks that pass or fail the work. They only read, so they can run again. Each check declares
// its fields in its folder below `checks`.

import { omitUndefined } from '../../base/fields.ts';
import { type CheckModel, isFilledList, parseChecks } from '../../definition/check.ts';
import { fieldReader, oneOf } from '../../definition/field-reader.ts';
import type { KindDeclaration, KindReport } from '../../definition/kind.ts';
import type { StepOf } from '../../definition/model.ts';

/** The checks, all of which must pass. */
export type GateModel = {
  readonly checks: readonly CheckModel[];
  /** False for a gate that is only about the files at that moment: a merge does not run it again after later changes. */
  readonly rerunAtMerge?: false;
  /**
   * What a check that fails and then passes on the same files means. If set, a failed check runs a second time, and both
   * results are recorded: `fail` fails the gate, `quarantine` lets it pass and names the check as flaky.
   */
  readonly flaky?: FlakyPolicy;
};

/** What to do about a flaky check. */
export type FlakyPolicy = 'fail' | 'quarantine';

declare module '../../definition/model.ts' {
  interface WorkConfigs {
    gate: GateModel;
  }
}

/** Checks by the engine; `any_of` has nested checks, of which one must pass. */
export const gate: KindDeclaration = {
  kind: 'gate',
  checksWork: true,
  onlyLooks: true,
  mayBePending: true,
  readsDatabases: true,
  effects: 'passing',
  again: 'its checks run again',
  outcomes: [],
  recovery: 'rerun',
  validate({ config }: StepOf<'gate'>, report) {
    parseGate(config, report);
  },
};

/** Parses the checks of a gate. */
export function parseGate(given: unknown, report: KindReport): GateModel {
  const { optional, required } = fieldReader(given, report);
  const flaky = optional('flaky', oneOf('fail', 'quarantine'), [
    '`flaky` must be "fail" or "quarantine"',
    'write one of them, or leave it out',
  ]);
  const rerunAtMerge = optional('rerunAtMerge', oneOf(false), ['`rerunAtMerge` must be true or false', 'write false, or leave it out']);
  const checks = required('checks', isFilledList, [
    '`checks` must have at least one check',
    'write one such as { check: "command", run: "npm test" }',
  ]);
  return { checks: parseChecks(checks ?? [], report), ...omitUndefined({ flaky, rerunAtMerge }) };
}
