// Owns how the work of a step is read: which field says what does it, and what its kind then keeps as configuration and
// as code. Adding a field for a new kind is one line in the table and one reader.

import type { JsonObject } from '../base/json.ts';
import { duplicateWorkflow } from '../definition/children.ts';
import type { BoundStep, CompiledWorkflow, StepCode, StepContext } from '../definition/code.ts';
import type { HumanGateModel, StepKind } from '../definition/model.ts';
import { readGate } from './graph-gate.ts';
import type { StepReading } from './graph-reading.ts';
import type { ChildSpec, GateCheckSpec, MemberSpec, WorkSpec } from './graph-spec.ts';
import { createTask } from './graph-task.ts';

/** A step's work as it is written, when the types of its context no longer matter. */
export type AnyWork = WorkSpec<never>;

/** What the work of a step is made of. */
export interface Work {
  readonly kind: StepKind;
  readonly config: JsonObject;
  readonly code: Partial<Omit<StepCode, 'preconditions' | 'postconditions' | 'members'>>;
  readonly gate?: HumanGateModel;
  readonly members?: readonly BoundStep[];
  readonly templates?: true;
}

/** Where the work is read, and how a step inside it is. */
export interface WorkPlace {
  readonly step: StepReading;
  readonly id: string;
  readonly isMember: boolean;
  readMember(spec: MemberSpec<never>, id: string): BoundStep;
}

type Reader = (spec: AnyWork, place: WorkPlace) => Work;

const READERS: Readonly<Record<string, Reader>> = {
  handler: readHandler,
  command: readCommand,
  gate: readChecks,
  human: readHuman,
  delay: readDelay,
  workflow: readChild,
  validate: readValidate,
  agent: readAgent,
  generate: readGenerate,
  forge: ({ forge }, { step }) => ({ kind: 'action', config: step.plainObject({ ...forge }, 'its forge'), code: {}, templates: true }),
  webhook: ({ webhook }, { step }) => ({
    kind: 'webhook',
    config: step.plainObject({ ...webhook, templates: true }, 'its webhook'),
    code: {},
  }),
  signal: ({ signal }) => ({ kind: 'signal', config: { signal: String(signal) }, code: {} }),
};

// Fields that say more about the work, and the fields beside which they mean something.
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  input: ['workflow'],
  context: ['agent', 'generate'],
  action: ['agent'],
  prompt: ['agent'],
  script: ['agent'],
  schema: ['agent'],
  budget: ['agent', 'generate'],
  env: ['command'],
  cwd: ['command'],
};

/** The fields that say what does the work of a step. */
export const WORK_FIELDS: readonly string[] = Object.keys(READERS);

/** Every field of a step that is about its work. */
export const ALL_WORK_FIELDS: readonly string[] = [...WORK_FIELDS, ...Object.keys(BESIDE)];

/** The work of a step: exactly one field says what does it, or none, and then it only has instructions. */
export function readWork(spec: AnyWork, place: WorkPlace): Work {
  const given = spec as Readonly<Record<string, unknown>>;
  const [field] = WORK_FIELDS.filter((name) => given[name] !== undefined);
  for (const [name, owners] of Object.entries(BESIDE)) {
    if (given[name] !== undefined && !(field !== undefined && owners.includes(field)))
      place.step.fault('FIELD_INVALID', `\`${name}\` means nothing here`, `write it beside \`${owners.join('` or `')}\``);
  }
  const reader = READERS[field ?? 'handler'] as Reader;
  return reader(spec, place);
}

function readHandler({ handler }: AnyWork, { step, id }: WorkPlace): Work {
  if (typeof handler === 'object' && handler !== null) {
    return { kind: 'agent', config: step.plainObject({ role: handler.agent, script: handler.script }, 'its handler'), code: {} };
  }
  if (handler !== undefined && typeof handler !== 'function')
    step.fault('FIELD_INVALID', `its handler is a ${typeof handler}`, 'give a function, or Dispatch({ agent, script })');
  if (typeof handler !== 'function') return { kind: 'task', config: {}, code: { run: createTask(undefined, id) } };
  step.code('handler', handler);
  return { kind: 'task', config: {}, code: { run: createTask(handler as (ctx: StepContext) => unknown, id) } };
}

function readCommand({ command, env, cwd }: AnyWork, { step }: WorkPlace): Work {
  const program = typeof command === 'string' ? { run: command } : { argv: command };
  return { kind: 'command', config: step.plainObject({ ...program, env, cwd }, 'its command'), code: {} };
}

function readChecks({ gate }: AnyWork, { step }: WorkPlace): Work {
  const checks = Array.isArray(gate?.checks) ? (gate.checks as readonly GateCheckSpec[]) : [];
  return { kind: 'gate', config: { checks: checks.map((check, index) => readCheck(check, `check ${index + 1}`, step)) }, code: {} };
}

function readCheck(check: GateCheckSpec, what: string, step: StepReading): JsonObject {
  if (typeof check === 'string') return { check: 'command', run: check };
  const { timeout, ...rest } = check;
  const implied = rest.paths === undefined ? 'command' : 'file_exists';
  const timeoutMs = timeout === undefined ? undefined : step.duration(timeout, `the timeout of ${what}`);
  return step.plainObject({ ...rest, check: check.check ?? implied, timeoutMs }, what);
}

function readHuman({ human }: AnyWork, { step, isMember }: WorkPlace): Work {
  return { kind: 'human', config: {}, code: {}, gate: readGate(human as NonNullable<typeof human>, step, isMember) };
}

function readDelay({ delay }: AnyWork, { step }: WorkPlace): Work {
  if (typeof delay !== 'object') return { kind: 'delay', config: { durationMs: step.duration(delay ?? '', 'its delay') }, code: {} };
  const { duration, poll } = delay;
  const durationMs = step.duration(duration, 'its delay');
  if (poll === undefined) return { kind: 'delay', config: { durationMs }, code: {} };
  const intervalMs = step.duration(poll.interval, 'the interval of its poll');
  const { condition } = poll;
  if (typeof condition === 'function')
    return {
      kind: 'delay',
      config: { durationMs, poll: { intervalMs } },
      code: { poll: step.code('poll', condition) as NonNullable<StepCode['poll']> },
    };
  if (condition === undefined) step.fault('FIELD_INVALID', 'its poll has no condition', 'write an expression or a function');
  return { kind: 'delay', config: { durationMs, poll: { intervalMs, condition: String(condition) } }, code: {} };
}

function readChild({ workflow, input }: AnyWork, { step }: WorkPlace): Work {
  const child = compiledOf(workflow as ChildSpec);
  const name = typeof child === 'string' ? child : child.definition.name;
  if (typeof child !== 'string') addChild(child, step);
  if (typeof input === 'function')
    return {
      kind: 'workflow',
      config: { workflow: name, input: null },
      code: { context: step.code('input', input) as (ctx: StepContext) => unknown },
    };
  return { kind: 'workflow', config: { workflow: name, input: step.plain(input ?? {}, 'its input') }, code: {} };
}

function compiledOf(child: ChildSpec): string | CompiledWorkflow {
  return typeof child === 'object' && 'compiled' in child ? child.compiled : child;
}

function addChild(child: CompiledWorkflow, { graph, at }: StepReading): void {
  const { name } = child.definition;
  const other = graph.children.get(name);
  if (other !== undefined && (other.hash !== child.hash || other.codeHash !== child.codeHash))
    throw duplicateWorkflow(name, ['an earlier step', `step "${at}"`]);
  graph.children.set(name, child);
}

function readValidate({ validate }: AnyWork, { step, readMember }: WorkPlace): Work {
  const { stages = null, retry = 3, onFailure } = validate === true || validate === undefined ? {} : validate;
  const members = onFailure === undefined ? [] : [readMember(onFailure, 'on-failure')];
  return { kind: 'validate', config: step.plainObject({ stages, retry }, 'its validation'), code: {}, members };
}

function readAgent(spec: AnyWork, { step }: WorkPlace): Work {
  const { agent, action, prompt, script, schema, budget } = spec;
  const role = typeof agent === 'string' ? agent : undefined;
  const { context, code } = readContext(spec, step);
  return {
    kind: 'agent',
    config: step.plainObject({ role, action, prompt, script, schema, context, budget }, 'its agent'),
    code: { ...code, ...liveCode(agent, step) },
  };
}

function readGenerate(spec: AnyWork, { step }: WorkPlace): Work {
  const generator = typeof spec.generate === 'string' ? spec.generate : undefined;
  const { context, code } = readContext(spec, step);
  return {
    kind: 'generate',
    config: step.plainObject({ generator, context, budget: spec.budget }, 'its generation'),
    code: { ...code, ...liveCode(spec.generate, step) },
  };
}

function readContext({ context }: AnyWork, step: StepReading): { context: unknown; code: Work['code'] } {
  if (typeof context !== 'function') return { context, code: {} };
  return { context: undefined, code: { context: step.code('context', context) as (ctx: StepContext) => unknown } };
}

function liveCode(agent: AnyWork['agent'], step: StepReading): Work['code'] {
  if (typeof agent !== 'object') return {};
  if (typeof agent.execute !== 'function') {
    step.fault('FIELD_INVALID', 'its agent is an object without execute', 'name a role, or give an object with execute(context, ctx)');
    return {};
  }
  step.code('agent', agent.execute);
  return { agent };
}
