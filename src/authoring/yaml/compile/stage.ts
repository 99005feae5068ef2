// Owns what each type of stage becomes: a step of the kind that does it, with its ways.

import { present } from '../../../base/fields.ts';
import type { CheckModel } from '../../../definition/check.ts';
import type { KindRegistry } from '../../../definition/kind.ts';
import type { Edge, HumanGateModel, NextTable, OutputModel, StepFrame, StepKind, StepModel, StepWork } from '../../../definition/model.ts';
import type { ProgramModel } from '../../../definition/program.ts';
import type { RequestModel } from '../../../definition/web-request.ts';
import type {
  TransitionKey,
  YamlAgentWork,
  YamlBranch,
  YamlCheck,
  YamlHumanWork,
  YamlOutput,
  YamlParallel,
  YamlProgram,
  YamlStage,
  YamlWork,
} from '../document/document.ts';
import { callConfig } from './call.ts';
import { bareExpression, plainStep } from './step.ts';
import { always, retryOf, tellStep, type Ways } from './way.ts';

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
  const { work, frame } = workOf(stage, place);
  const step = plainStep(id, work, {
    ...frame,
    title: title ?? id,
    next: nextOf(stage, kind, place),
    retry: retryOf(transitions),
    recovery: recovery ?? place.registry.kinds[kind].recovery,
    ...(condition === undefined ? {} : { condition }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(extend === undefined ? {} : { extension: present({ ms: extend.byMs, max: extend.max ?? 1, tells }) }),
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

/** The work of a stage, and what it says about the frame around it. */
interface StageWork {
  readonly work: StepWork;
  readonly frame?: Partial<StepFrame>;
}

function workOf(stage: YamlStage, place: Place): StageWork {
  return stage.type === 'parallel' ? parallelOf(stage, place.registry) : plainWork(stage, place.ways);
}

function parallelOf({ join, branches, concurrency }: YamlParallel, registry: KindRegistry): StageWork {
  const members = branches.map((branch) => branchOf(branch, registry));
  return { work: { kind: 'parallel', join, members, ...present({ concurrency }) } };
}

function branchOf(branch: YamlBranch, { kinds }: KindRegistry): StepModel {
  const { id, title, condition, timeoutMs, recovery, writes } = branch;
  const { work, frame } = plainWork(branch, undefined);
  return plainStep(id, work, {
    ...frame,
    title: title ?? id,
    next: {},
    recovery: recovery ?? kinds[work.kind].recovery,
    ...(writes === undefined ? {} : { writes }),
    ...(condition === undefined ? {} : { condition }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
}

function plainWork(work: YamlWork, ways: Ways | undefined): StageWork {
  switch (work.type) {
    case 'agent':
      return agentOf(work);
    case 'gate':
      return { work: { kind: 'gate', config: { checks: work.checks.map(checkOf) } } };
    case 'delay': {
      const poll = work.poll && { intervalMs: work.poll.intervalMs, condition: bareExpression(work.poll.condition) };
      return { work: { kind: 'delay', durationMs: work.durationMs, ...present({ poll }) } };
    }
    case 'action':
      return { work: { kind: 'action', config: callConfig(work.call) } };
    case 'webhook': {
      const { status, body } = work;
      const expect = status === undefined && body === undefined ? undefined : present({ status, body });
      return { work: { kind: 'webhook', config: { templates: true, request: requestOf(work.request), ...present({ expect }) } } };
    }
    case 'human':
      return { work: { kind: 'human', gate: questionOf(work, ways) } };
    case 'workflow':
      return { work: { kind: 'workflow', workflow: work.workflow, input: work.input } };
    case 'command':
      return { work: { kind: 'command', config: programOf(work.program) }, frame: outputsOf(work.outputs) };
  }
}

function agentOf(work: YamlAgentWork): StageWork {
  const { agent: role, action, prompt, schema, context, continueSession, supportsQuestions, protected: guarded, mayChange } = work;
  const config = {
    ...present({ role, action, prompt, schema }),
    ...(Object.keys(context).length === 0 ? {} : { context }),
    // An agent of a file sees the run's context, as the seed has it: what failed, which issue it is about.
    seesContext: true as const,
    ...(continueSession ? { continueSession: true as const } : {}),
    ...(work.budget === undefined ? {} : { budget: present({ ...work.budget }) }),
  };
  const frame = {
    ...outputsOf(work.outputs),
    ...(supportsQuestions ? { supportsQuestions } : {}),
    ...(guarded.length === 0 ? {} : { protected: guarded }),
    ...(mayChange.length === 0 ? {} : { mayChange }),
    // A pull request that was verified is what the run is about from then on.
    ...(work.outputs.some(({ type }) => type === 'pr') ? { merges: ['pr_number'] } : {}),
  };
  return { work: { kind: 'agent', config }, frame };
}

function outputsOf(outputs: readonly YamlOutput[]): Pick<StepFrame, 'outputs'> {
  if (outputs.length === 0) return {};
  return { outputs: outputs.map(({ path: _, ...output }) => present(output) as OutputModel) };
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

function programOf({ run, argv, env, cwd }: YamlProgram): ProgramModel {
  return { ...present({ run, argv, cwd }), ...(Object.keys(env).length === 0 ? {} : { env }) };
}

function requestOf({ url, method, headers, body }: Extract<YamlWork, { type: 'webhook' }>['request']): RequestModel {
  return present({ url, method, headers, body });
}

function checkOf(check: YamlCheck): CheckModel {
  const limit = present({ timeoutMs: check.timeoutMs });
  switch (check.check) {
    case 'command': {
      const { report, tests } = check;
      const expect = check.expect && bareExpression(check.expect);
      return { check: 'command', ...programOf(check.program), ...present({ expect, report, tests }), ...limit };
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
        ...present({ expect: check.expect && bareExpression(check.expect) }),
        ...limit,
      };
    case 'coverage':
      return {
        check: 'coverage',
        ...present({ minimum: percentOf(check.minimum), metric: check.metric, report: check.report, paths: [...check.paths] }),
        ...limit,
      };
    case 'any_of':
      return { check: 'any_of', checks: check.checks.map(checkOf), ...limit };
    case 'own':
      // A check of the application: its fields are its own business.
      return { ...check.config, check: check.name, ...limit } as unknown as CheckModel;
  }
}

/** A share as checks read it: a bare number of at most 1 would be refused, since it could mean two things. */
function percentOf(minimum: number): number | string {
  return minimum > 1 ? minimum : `${minimum}%`;
}
