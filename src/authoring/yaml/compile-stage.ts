// Owns what each type of stage becomes: a step of the kind that does it, with its ways.

import type { Json, JsonObject } from '../../base/json.ts';
import type { KindRegistry } from '../../definition/kind.ts';
import type { Edge, HumanGateModel, NextTable, StepKind, StepModel } from '../../definition/model.ts';
import { callConfig } from './compile-call.ts';
import { bareExpression, given, plainStep } from './compile-step.ts';
import { always, retryOf, tellStep, type Ways } from './compile-way.ts';
import type {
  TransitionKey,
  YamlBranch,
  YamlCheck,
  YamlHumanWork,
  YamlOutput,
  YamlParallel,
  YamlProgram,
  YamlStage,
  YamlWork,
} from './document.ts';

/** Where a stage stands. */
interface Place {
  readonly ways: Ways;
  readonly index: number;
  readonly registry: KindRegistry;
}

const SUCCESS: readonly TransitionKey[] = ['on_complete', 'on_success', 'on_pass'];
/** Outcomes that go where `on_error` leads when the stage has no way of their own for them (C2). */
const TROUBLES: readonly (readonly [outcome: string, keys: readonly TransitionKey[]])[] = [
  ['fail', ['on_fail', 'on_failure']],
  ['error', []],
  ['timeout', ['on_timeout']],
  ['conflict', ['on_conflict']],
  ['ci_failure', ['on_ci_failure']],
];

/** The step of a stage, behind the one that tells somebody on entering, if there is one. */
export function readStage(stage: YamlStage, place: Place): StepModel[] {
  const { id, title, condition, timeoutMs, recovery, onEnter, transitions } = stage;
  const kind = kindOf(stage);
  const { extend, notify } = transitions.on_timeout ?? {};
  const tells = extend === undefined || notify === undefined ? undefined : `${id}.on_timeout.notify`;
  if (tells !== undefined && notify !== undefined) place.ways.added.push({ ...tellStep(tells, notify, {}), side: true });
  const step = plainStep(id, {
    ...workOf(stage, place),
    title: title ?? id,
    next: nextOf(stage, kind, place),
    retry: retryOf(transitions),
    recovery: recovery ?? place.registry.kinds[kind].recovery,
    ...(condition === undefined ? {} : { condition }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(extend === undefined ? {} : { extension: given({ ms: extend.byMs, max: extend.max ?? 1, tells }) as never }),
  });
  if (onEnter === undefined) return [step];
  const enter = tellStep(`${id}.enter`, onEnter, always({ step: id }));
  // Nobody is told of a stage that is skipped.
  return [condition === undefined ? enter : { ...enter, condition }, step];
}

function kindOf({ type }: Pick<YamlStage, 'type'>): StepKind {
  return type;
}

function nextOf(stage: YamlStage, kind: StepKind, { ways, index }: Place): NextTable {
  const next: Record<string, Edge> = {};
  const written = (key: TransitionKey): Edge | undefined => {
    const transition = stage.transitions[key];
    return transition === undefined ? undefined : ways.edge(stage, key, transition);
  };
  const onward = ways.after(index);
  next.ok = SUCCESS.map(written).find((edge) => edge !== undefined) ?? { to: onward };
  next.skip = written('skip_to') ?? { to: onward };
  const rejects = written('on_reject') ?? written('on_any_reject');
  if (rejects !== undefined) next.reject = rejects;
  const allReject = written('on_all_reject');
  if (allReject !== undefined) next.reject_all = allReject;
  const onError = written('on_error') ?? { to: { end: 'escalate' as const } };
  for (const [outcome, keys] of TROUBLES) {
    if (outcome === 'conflict' || outcome === 'ci_failure' ? kind !== 'action' : false) continue;
    next[outcome] = keys.map(written).find((edge) => edge !== undefined) ?? onError;
  }
  return next;
}

function workOf(stage: YamlStage, place: Place): Pick<StepModel, 'kind' | 'config'> & Partial<StepModel> {
  return stage.type === 'parallel' ? parallelOf(stage, place.registry) : plainWork(stage, place.ways);
}

function parallelOf({ join, branches, concurrency }: YamlParallel, registry: KindRegistry): ReturnType<typeof workOf> {
  return {
    kind: 'parallel',
    config: {},
    join,
    members: branches.map((branch) => branchOf(branch, registry)),
    ...(concurrency === undefined ? {} : { concurrency }),
  };
}

function branchOf(branch: YamlBranch, { kinds }: KindRegistry): StepModel {
  const { id, title, condition, timeoutMs, recovery, writes } = branch;
  const work = plainWork(branch, undefined);
  return plainStep(id, {
    ...work,
    title: title ?? id,
    next: {},
    recovery: recovery ?? kinds[work.kind].recovery,
    ...(writes === undefined ? {} : { writes }),
    ...(condition === undefined ? {} : { condition }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
}

function plainWork(work: YamlWork, ways: Ways | undefined): ReturnType<typeof workOf> {
  switch (work.type) {
    case 'agent':
      return {
        kind: 'agent',
        config: given({
          role: work.agent,
          action: work.action,
          prompt: work.prompt,
          ...(Object.keys(work.context).length === 0 ? {} : { context: work.context }),
          // An agent of a file sees the run's context, as the seed has it: what failed, which issue it is about.
          seesContext: true,
          ...(work.continueSession ? { continueSession: true } : {}),
          ...(work.supportsQuestions ? { supportsQuestions: true } : {}),
          schema: work.schema,
          budget: work.budget && given({ ...work.budget }),
          outputs: outputsOf(work.outputs),
        }),
        ...(work.protected.length === 0 ? {} : { protected: work.protected }),
        ...(work.mayChange.length === 0 ? {} : { mayChange: work.mayChange }),
        // A pull request that was verified is what the run is about from then on.
        ...(work.outputs.some(({ type }) => type === 'pr') ? { merges: ['pr_number'] } : {}),
      };
    case 'gate':
      return { kind: 'gate', config: { checks: work.checks.map(checkOf) } };
    case 'delay':
      return {
        kind: 'delay',
        config: given({
          durationMs: work.durationMs,
          poll: work.poll && { intervalMs: work.poll.intervalMs, condition: bareExpression(work.poll.condition) },
        }),
      };
    case 'action':
      return { kind: 'action', config: callConfig(work.call) };
    case 'webhook':
      return { kind: 'webhook', config: given({ templates: true, request: requestOf(work.request), expect: expectOf(work) }) };
    case 'human':
      return { kind: 'human', config: {}, gate: questionOf(work, ways) };
    case 'workflow':
      return { kind: 'workflow', config: { workflow: work.workflow, input: work.input } };
    case 'command':
      return { kind: 'command', config: { ...programOf(work.program), ...given({ outputs: outputsOf(work.outputs) }) } };
  }
}

function outputsOf(outputs: readonly YamlOutput[]): Json | undefined {
  return outputs.length === 0 ? undefined : outputs.map(({ name, type, pattern, required }) => given({ name, type, pattern, required }));
}

function questionOf({ prompt, show, options, from, count, subjects, signed }: YamlHumanWork, ways: Ways | undefined): HumanGateModel {
  for (const { to, label } of options) if (to !== undefined) ways?.check({ id: label }, to);
  const answers = options.map(({ label, outcome, to, requiresInput }) => ({
    label,
    outcome,
    requiresInput,
    ...(to === undefined || ways === undefined ? {} : { to: ways.target(to.stage) }),
  }));
  const plain = [
    { label: 'approve', outcome: 'ok', requiresInput: false },
    { label: 'reject', outcome: 'reject', requiresInput: false },
  ];
  return {
    prompt,
    show,
    options: answers.length === 0 ? plain : answers,
    ...(from.length === 0 ? {} : { from }),
    ...(count === undefined ? {} : { count }),
    ...(subjects.length === 0 ? {} : { subjects: { files: subjects } }),
    ...(signed ? { signed } : {}),
  };
}

function programOf({ run, argv, env, cwd }: YamlProgram): JsonObject {
  return given({ run, argv: argv === undefined ? undefined : [...argv], cwd, ...(Object.keys(env).length === 0 ? {} : { env }) });
}

function requestOf({ url, method, headers, body }: Extract<YamlWork, { type: 'webhook' }>['request']): JsonObject {
  return given({ url, method, headers, body });
}

function expectOf({ status, body }: Extract<YamlWork, { type: 'webhook' }>): Json | undefined {
  return status === undefined && body === undefined ? undefined : given({ status, body });
}

function checkOf(check: YamlCheck): JsonObject {
  const limit = check.timeoutMs === undefined ? {} : { timeoutMs: check.timeoutMs };
  switch (check.check) {
    case 'command': {
      const { report, tests } = check;
      const expect = check.expect && bareExpression(check.expect);
      return { check: 'command', ...programOf(check.program), ...given({ expect, report, tests }), ...limit };
    }
    case 'file_exists':
      return { check: 'file_exists', paths: [...check.paths], ...limit };
    case 'pr_approval':
      return { check: 'pr_approval', from: [...check.from], count: check.count, ...limit };
    case 'ci_status':
      return { check: 'ci_status', workflows: [...check.workflows], expect: check.expect, ...limit };
    case 'webhook':
      return {
        check: 'webhook',
        templates: true,
        ...requestOf(check.request),
        ...given({ expect: check.expect && bareExpression(check.expect) }),
        ...limit,
      };
    case 'coverage':
      return {
        check: 'coverage',
        ...given({ minimum: percentOf(check.minimum), metric: check.metric, report: check.report, paths: [...check.paths] }),
        ...limit,
      };
    case 'any_of':
      return { check: 'any_of', checks: check.checks.map(checkOf), ...limit };
    case 'own':
      return { ...check.config, check: check.name, ...limit };
  }
}

/** A share as checks read it: a bare number of at most 1 would be refused, since it could mean two things. */
function percentOf(minimum: number): Json {
  return minimum > 1 ? minimum : `${minimum}%`;
}
