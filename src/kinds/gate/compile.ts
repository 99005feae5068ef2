// Owns how a `gate` is written: a list of checks, each a shell line or a check by its name with its fields.

import { plainOf, type StepOptions, type StepParts } from '../../authoring/flow/model.ts';
import { type BuiltFields, builtCode, takeFunctions } from '../../authoring/graph/built.ts';
import type { StepReading } from '../../authoring/graph/reading.ts';
import type { GateCheckSpec } from '../../authoring/graph/spec.ts';
import type { KindCompiler } from '../../authoring/graph/work.ts';
import { eitherShape, FLAG, isFields, listShape, objectShape, TEXT } from '../../authoring/spec/shape.ts';
import { type Duration, parseDuration } from '../../base/duration.ts';
import { present } from '../../base/fields.ts';
import type { Json } from '../../base/json.ts';
import type { CheckModel } from '../../definition/check.ts';
import type { BuiltValue } from '../../definition/code.ts';
import type { WorkOf } from '../../definition/model.ts';
import { gate as declaration, type FlakyPolicy, parseGate } from './declare.ts';

/** A check of a gate: a shell command, or a check by name with its fields. */
export type CheckSpec = string | { readonly check: string; readonly timeout?: Duration; readonly [field: string]: unknown };

/** Checks that the work must pass. */
export interface GateSpec extends StepOptions {
  readonly checks: readonly CheckSpec[];
  /** False for a gate about the files as they are at that moment: a merge does not run it again after later changes. */
  readonly rerunAtMerge?: boolean;
  /** Runs a failed check again; the value decides what a pass then means. */
  readonly flaky?: FlakyPolicy;
}

const FIELDS = ['checks', 'rerunAtMerge', 'flaky'];

const CHECK = eitherShape(TEXT, objectShape<object>({ check: TEXT }, { example: '{ check: "command", run: "npm test" }' }));

/** The kind `gate`. */
export const gate: KindCompiler = {
  ...declaration,
  field: 'gate',
  shapes: { gate: objectShape<object>({ checks: listShape(CHECK), rerunAtMerge: FLAG }, { example: '{ checks: ["npm test"] }' }) },
  literals: ({ config: { checks } }: WorkOf<'gate'>) => checks,
  read({ gate: given }, { step }) {
    step.knownFields(given ?? {}, FIELDS, 'a gate');
    const checks = Array.isArray(given?.checks) ? given.checks : [];
    const built: BuiltValue[] = [];
    const read = checks.map((check, index) => readCheck(check, { step, built, what: `check ${index + 1}`, at: ['checks', String(index)] }));
    const rerunAtMerge = given?.rerunAtMerge === true ? undefined : given?.rerunAtMerge;
    const config = step.parse({ checks: read, flaky: given?.flaky, rerunAtMerge }, 'its gate', parseGate);
    return { work: { kind: 'gate', config }, code: builtCode(built) };
  },
};

/** The fields of checks that functions may build. */
const BUILT_FIELDS: BuiltFields = { env: 'texts', url: 'text', headers: 'texts', body: 'data' };

interface CheckPlace {
  readonly step: StepReading;
  /** Collects the functions that are found. */
  readonly built: BuiltValue[];
  readonly what: string;
  readonly at: readonly string[];
}

/** A check as data; its fields are parsed with the gate. */
function readCheck(check: GateCheckSpec, place: CheckPlace): Json {
  const { step, what, at } = place;
  if (typeof check === 'string') return { check: 'command', run: check };
  if (!isFields(check)) return step.plain(check, what);
  const { timeout, ...written } = check;
  const { data: rest, built } = takeFunctions(written, BUILT_FIELDS, { step, at });
  place.built.push(...built);
  const implied = rest.paths === undefined ? 'command' : 'file_exists';
  const inner = Array.isArray(rest.checks)
    ? { checks: rest.checks.map((one: GateCheckSpec, index: number) => readCheck(one, { ...place, at: [...at, 'checks', String(index)] })) }
    : {};
  const timeoutMs = timeout === undefined ? undefined : step.duration(timeout, `the timeout of ${what}`);
  return step.plain({ ...rest, ...inner, check: check.check ?? implied, timeoutMs }, what);
}

/** Checks that are run in place. */
export function buildGate(name: string, spec: GateSpec): StepParts {
  const { checks, rerunAtMerge, flaky, ...options } = spec;
  const read = checks.map((check) => checkData(name, check));
  const config = { checks: read, ...present({ flaky, rerunAtMerge: rerunAtMerge === false ? rerunAtMerge : undefined }) };
  return { name, work: { kind: 'gate', config }, options, fields: FIELDS };
}

function checkData(name: string, check: CheckSpec): CheckModel {
  if (typeof check === 'string') return { check: 'command', run: check };
  const { timeout, checks, ...rest } = check;
  const timeoutMs = timeout === undefined ? undefined : parseDuration(timeout, `step "${name}", timeout of check "${check.check}"`);
  const inner = Array.isArray(checks) ? { checks: checks.map((one: CheckSpec) => checkData(name, one)) } : present({ checks });
  return { ...plainOf<CheckModel>(name, 'a check', { ...rest, ...inner }), ...present({ timeoutMs }) };
}
