// Compiles a `gate` step: a list of checks, each a shell line or a check by its name with its fields.

import type { MethodArguments } from '../../authoring/flow/method.ts';
import type { FlowSpec } from '../../authoring/flow/model.ts';
import { type BuiltFields, builtCode, extractFunctions } from '../../authoring/graph/built.ts';
import type { StepReading } from '../../authoring/graph/reading.ts';
import type { KindCompiler } from '../../authoring/graph/work.ts';
import type { CheckSpec } from '../../authoring/spec/check.ts';
import { anyShape, eitherShape, FLAG, isFields, listShape, objectShape, TEXT } from '../../authoring/spec/shape.ts';
import type { Targets } from '../../authoring/spec/step.ts';
import type { Json } from '../../base/json.ts';
import { type CheckCode, knowingChecks } from '../../definition/check.ts';
import type { BuiltValue, StepCode } from '../../definition/code.ts';
import type { WorkOf } from '../../definition/model.ts';
import { gate as declaration, parseGate } from './declare.ts';
import type { GateStep } from './spec.ts';

const FIELDS = ['checks', 'rerunAtMerge', 'flaky'];

const CHECK = eitherShape(TEXT, objectShape<object>({ check: TEXT }, { example: '{ check: "command", run: "npm test" }' }));

/** Compiles `gate` steps. */
export const gate: KindCompiler = {
  ...declaration,
  field: 'gate',
  flow: {
    gate: {
      most: 1,
      first: objectShape<object>({}, { example: '{ checks: ["npm test"] }' }),
      own: FIELDS,
      write([{ checks, rerunAtMerge, flaky, ...options }]: MethodArguments<GateStep<never, never, Targets>, 'gate'>): FlowSpec {
        return { fields: { gate: { checks, rerunAtMerge, flaky } }, options };
      },
    },
  },
  shapes: {
    gate: objectShape<object>(
      { checks: listShape(CHECK), rerunAtMerge: FLAG, flaky: anyShape() },
      { example: '{ checks: ["npm test"] }', label: 'a gate' },
    ),
  },
  literals: ({ config: { checks } }: WorkOf<'gate'>) => checks,
  read({ gate: given }, { step }) {
    const checks = Array.isArray(given?.checks) ? given.checks : [];
    const built: BuiltValue[] = [];
    const own = new OwnChecks((fault) => step.fault('KIND_INVALID', fault, RENAME));
    const read = checks.map((check, index) =>
      readCheck(check, { step, built, own, field: `check ${index + 1}`, at: ['checks', String(index)] }),
    );
    for (const [name, check] of own.byName) step.code(`check ${name}`, check.run);
    const rerunAtMerge = given?.rerunAtMerge === true ? undefined : given?.rerunAtMerge;
    const config = step.parse({ checks: read, flaky: given?.flaky, rerunAtMerge }, '`gate`', (plain, report) =>
      parseGate(plain, knowingChecks(report, own.code.checks)),
    );
    return { work: { kind: 'gate', config }, code: { ...builtCode(built), ...own.code } };
  },
};

/** The fields of checks that functions may build. */
const BUILT_FIELDS: BuiltFields = { env: 'texts', url: 'text', headers: 'texts', body: 'data' };

const RENAME = 'give one of them another name';

type CheckFields = Readonly<Record<string, unknown>>;

/** The checks of the application that a gate contains. */
class OwnChecks {
  readonly byName = new Map<string, CheckCode>();
  readonly #fault: (message: string) => void;

  constructor(fault: (message: string) => void) {
    this.#fault = fault;
  }

  /** Returns the fields of a check without its code. In a check that is referred to by name, a field `own` is data. */
  without(fields: CheckFields): CheckFields {
    if (typeof fields.own !== 'function') return fields;
    const { own, ...data } = fields;
    const check = own as unknown as CheckCode;
    if ((this.byName.get(check.name) ?? check) !== check) this.#fault(`two checks of this gate have the name "${check.name}"`);
    this.byName.set(check.name, check);
    return data;
  }

  get code(): Pick<StepCode, 'checks'> {
    return this.byName.size === 0 ? {} : { checks: Object.freeze(Object.fromEntries(this.byName)) };
  }
}

interface CheckReading {
  readonly step: StepReading;
  readonly own: OwnChecks;
  /** Collects the functions of the check. */
  readonly built: BuiltValue[];
  readonly field: string;
  readonly at: readonly string[];
}

/** A check as data; its fields are parsed with the gate. */
function readCheck(check: CheckSpec, reading: CheckReading): Json {
  const { step, field, at } = reading;
  if (typeof check === 'string') return { check: 'command', run: check };
  if (!isFields(check)) return step.plain(check, field);
  const { timeout, ...written } = check;
  const { data: rest, built } = extractFunctions(reading.own.without(written), BUILT_FIELDS, { step, at });
  reading.built.push(...built);
  const implied = rest.paths === undefined ? 'command' : 'file_exists';
  const inner = Array.isArray(rest.checks)
    ? { checks: rest.checks.map((one: CheckSpec, index: number) => readCheck(one, { ...reading, at: [...at, 'checks', String(index)] })) }
    : {};
  const timeoutMs = timeout === undefined ? undefined : step.duration(timeout, `the timeout of ${field}`);
  return step.plain({ ...rest, ...inner, check: check.check ?? implied, timeoutMs }, field);
}
