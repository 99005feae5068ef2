// Checks a workflow file: reads and compiles it, and gives every problem its position.

import { fieldOf, type Json } from '../../../base/json.ts';
import { addedPurpose, splitName } from '../../../definition/address.ts';
import type { CompiledWorkflow } from '../../../definition/code.ts';
import { isText } from '../../../definition/kind.ts';
import type { Definition } from '../../../definition/model.ts';
import { eventProblem } from '../../../definition/trigger/event.ts';
import { scheduleProblem } from '../../../definition/trigger/schedule.ts';
import { commandProblem } from '../../../definition/trigger/start-command.ts';
import { type Reference, referencesIn } from '../../../definition/validation/reference.ts';
import type { CheckedModule } from '../../discover/discover.ts';
import type { FilePosition, SourceProblem } from '../../discover/syntax.ts';
import type { Compilers } from '../../graph/work.ts';
import { commandOf, draftYaml, scheduleIn, stopOf, triggerOf } from '../compile/compile.ts';
import { branchesOf } from '../compile/part.ts';
import type { CompileProblem } from '../compile/transition.ts';
import type { YamlPath } from '../position/position.ts';
import { problemAt, type YamlProblem } from '../problem/problem.ts';
import { readYamlWorkflow, type YamlReading } from '../read/read.ts';
import type { YamlCheck, YamlStage } from '../schema/form.ts';
import type { YamlWorkflow } from '../schema/schema.ts';
import { nameProblems } from './names.ts';

/** The problems of a workflow file, and the workflow if it has no errors. */
export interface CheckedYaml extends CheckedModule {
  readonly compiled?: CompiledWorkflow;
}

/** Checks the text of a workflow file and compiles it, without running anything in it. */
export function checkYaml(file: string, text: string, registry: Compilers): CheckedYaml {
  const { finish, ...checked } = examine(file, text, registry);
  return finish === undefined ? checked : { ...checked, compiled: finish() };
}

/** Checks the text of a workflow file without compiling it: most files of a project are only checked, not run. */
export function findYamlProblems(file: string, text: string, registry: Compilers): CheckedModule {
  const { finish: _, ...checked } = examine(file, text, registry);
  return checked;
}

/** Returns the problems of a file, and a function that compiles it if there are no errors. */
function examine(file: string, text: string, registry: Compilers): CheckedModule & { readonly finish?: () => CompiledWorkflow } {
  const reading = readYamlWorkflow(text, file, { compilers: registry });
  const { document, problems, positionOf, expressions } = reading;
  const checks = checkReferences(reading);
  if (document === undefined) return { ...bySeverity(problems), references: checks };
  const names = nameProblems(document, expressions);
  const { definition, finish, problems: compiled } = draftYaml(document, registry);
  const all = [
    ...problems,
    ...names,
    ...triggerProblems(document, reading),
    ...scheduleProblems(document, positionOf, definition),
    ...compiled.filter((problem) => isOfAuthor(problem, document)).map((problem) => at(problem, reading)),
  ];
  const findings = bySeverity([...all].sort((a, b) => a.line - b.line || a.column - b.column));
  const workflow = { ...describe(document), file, ...positionOf(['metadata', 'name']) };
  if (definition === undefined || finish === undefined) return { ...findings, workflow, references: checks };
  const others = referencesIn(definition).filter(({ kind }) => kind !== 'check');
  const references = [...checks, ...others.map((reference) => ({ ...reference, ...positionOf(pathOf(reference, document, definition)) }))];
  const model = triggerOf(document);
  const trigger = model === undefined ? {} : { trigger: { model, ...positionOf(['trigger'], 'key') } };
  const name = commandOf(document);
  const command = name === undefined ? {} : { command: { name, ...positionOf(['trigger', 'command']) } };
  return {
    ...findings,
    workflow,
    references,
    params: definition.params,
    ...trigger,
    ...command,
    ...(findings.errors.length > 0 ? {} : { finish }),
  };
}

function describe({ metadata, params = {}, stages }: YamlWorkflow) {
  const { name, title = name, description = '' } = metadata;
  return { name, title, description, form: 'graph' as const, params: Object.keys(params), steps: stages.map(({ id }) => id) };
}

function triggerProblems(document: YamlWorkflow, { positionOf }: YamlReading): YamlProblem[] {
  const { trigger, override_triggers: overrides } = document;
  const { event } = triggerOf(document) ?? {};
  const eventFault = event === undefined ? undefined : eventProblem(event);
  const stop = typeof trigger === 'string' ? undefined : trigger?.stop_after;
  const command = commandOf(document);
  const commandFault = command === undefined ? undefined : commandProblem(command);
  return [
    ...(commandFault === undefined ? [] : [problemAt(positionOf(['trigger', 'command']), { code: 'FIELD_INVALID', ...commandFault })]),
    ...(stop === undefined || event !== undefined
      ? []
      : [
          problemAt(positionOf(['trigger', 'stop_after'], 'key'), {
            code: 'FIELD_WITHOUT_EFFECT',
            severity: 'warning',
            message: '"stop_after" has no effect: no event starts this workflow',
            hint: 'add "event", or remove it; a schedule is paused with "pawl schedules pause"',
          }),
        ]),
    ...(stopOf(stop) !== undefined
      ? []
      : [
          problemAt(positionOf(['trigger', 'stop_after']), {
            ...{ code: 'FIELD_INVALID', message: `"stop_after" must be a day, a time in UTC or an age, not "${stop}"` },
            hint: 'write such as 2027-03-31, 2027-03-31T12:00Z or +30d',
          }),
        ]),
    ...(eventFault === undefined
      ? []
      : [
          problemAt(positionOf(typeof trigger === 'string' ? ['trigger'] : ['trigger', 'event']), { code: 'EVENT_UNKNOWN', ...eventFault }),
        ]),
    ...(overrides === true && event === undefined
      ? [
          problemAt(positionOf(['override_triggers'], 'key'), {
            code: 'FIELD_WITHOUT_EFFECT',
            severity: 'warning',
            message: '"override_triggers" has no effect: no event starts this workflow, so it takes precedence over nothing',
            hint: 'add "trigger" with an event, or remove it',
          }),
        ]
      : []),
  ];
}

/** The problems of the schedule of a file, and of fields that need one. */
function scheduleProblems(
  document: YamlWorkflow,
  positionOf: YamlReading['positionOf'],
  definition: Definition | undefined,
): YamlProblem[] {
  const { trigger } = document;
  if (trigger === undefined || typeof trigger === 'string') return [];
  const model = scheduleIn(document);
  if (model !== undefined) {
    const problem = scheduleProblem(model, definition?.params);
    if (problem === undefined) return [];
    const { field, message, hint } = problem;
    return [problemAt(positionOf(['trigger', field]), { code: 'SCHEDULE_INVALID', message, hint })];
  }
  const alone = (['timezone', 'catch_up', 'params'] as const).find((field) => trigger[field] !== undefined);
  if (alone !== undefined || (trigger.event === undefined && trigger.command === undefined)) {
    const message = alone === undefined ? 'the trigger must have an event, a command or a schedule' : `"trigger.${alone}" needs a schedule`;
    const hint = 'add "schedule", such as "0 6 * * 1-5"';
    return [problemAt(positionOf(alone === undefined ? ['trigger'] : ['trigger', alone]), { code: 'SCHEDULE_INVALID', message, hint })];
  }
  return [];
}

/** Whether a problem concerns the author: one who set the recovery of a stage needs no advice about it. */
function isOfAuthor({ code, step = '' }: CompileProblem, { stages, recovery: whole }: YamlWorkflow): boolean {
  return code !== 'RECOVERY_DEFAULT' || (whole === undefined && stages.some(({ id, recovery }) => id === step && recovery === undefined));
}

/** The problem with its position: that of the expression it is about, otherwise that of its stage. */
function at({ severity, code, message, hint, path, step, reads }: CompileProblem, { expressions, positionOf }: YamlReading): YamlProblem {
  const inStage = (other: YamlPath): boolean => path.slice(0, 2).every((part, index) => other[index] === part);
  const read = expressions
    .filter((expression) => reads !== undefined && inStage(expression.path))
    .flatMap(({ paths }) => paths)
    .find(({ segments }) => reads?.every((part) => segments.includes(part)));
  const { line, column } = read?.position ?? positionOf(path);
  return { severity, code, message: step === undefined ? message : `stage "${step}": ${message}`, hint, line, column };
}

/** The checks that a file names, each with its position, even if nothing else of the file can be read. */
function checkReferences({ written, positionOf }: YamlReading): (Reference & FilePosition)[] {
  return itemsAt(fieldOf(written, 'stages'), ['stages']).flatMap(({ value: stage, path }) => {
    const step = idOf(stage);
    const branches = itemsAt(fieldOf(stage, 'branches'), [...path, 'branches']);
    return [{ value: stage, path, step }, ...branches.map((branch) => ({ ...branch, step: `${step}/${idOf(branch.value)}` }))].flatMap(
      (work) =>
        checksIn(work.value, work.path).map(({ name, at: place }) => ({
          kind: 'check' as const,
          step: work.step,
          name,
          ...positionOf(place),
        })),
    );
  });
}

function checksIn(value: Json, path: YamlPath): { readonly name: string; readonly at: YamlPath }[] {
  return itemsAt(fieldOf(value, 'conditions'), [...path, 'conditions']).flatMap((item) => {
    const name = fieldOf(item.value, 'check');
    return [...(isText(name) ? [{ name, at: [...item.path, 'check'] }] : []), ...checksIn(item.value, item.path)];
  });
}

function itemsAt(list: Json | undefined, path: YamlPath): { readonly value: Json; readonly path: YamlPath }[] {
  return Array.isArray(list) ? list.map((value: Json, index) => ({ value, path: [...path, index] })) : [];
}

function idOf(value: Json): string {
  const id = fieldOf(value, 'id');
  return typeof id === 'string' ? id : '';
}

/** Where a reference is written. */
function pathOf(reference: Reference, { stages }: YamlWorkflow, { steps }: Definition): YamlPath {
  const { id: first, member } = splitName(reference.step);
  const { addedFor } = steps.find(({ id }) => id === first) ?? {};
  const index = Math.max(
    0,
    stages.findIndex(({ id }) => id === (addedFor ?? first)),
  );
  const stage = stages[index];
  if (stage === undefined) return [];
  if (addedFor !== undefined) return ['stages', index, ...(addedPurpose(first, addedFor) ?? [])];
  const branch = member === undefined ? -1 : branchesOf(stage).findIndex(({ id }) => id === member);
  const base: YamlPath = branch === -1 ? ['stages', index] : ['stages', index, 'branches', branch];
  if (reference.kind === 'role') return [...base, stage.type === 'review' ? reviewKey(stage, reference.name) : 'agent'];
  if (reference.kind === 'workflow') return [...base, 'workflow'];
  const written = (branch === -1 ? stage : branchesOf(stage)[branch]) as { readonly conditions?: readonly YamlCheck[] };
  const condition = (written.conditions ?? []).findIndex(({ check }) => check === 'pr_approval');
  if (condition === -1) return reference.kind === 'group' ? [...base, 'from'] : base;
  return [...base, 'conditions', condition, 'from'];
}

/** The field of a review that names a role. */
function reviewKey(stage: YamlStage, role: string): string {
  const names = (written: unknown): boolean => written === role || (written as { readonly agent?: string } | undefined)?.agent === role;
  return ['reviewer', 'fixer', 'splitter'].find((key) => names(stage[key])) ?? 'reviewer';
}

function bySeverity(problems: readonly YamlProblem[]): CheckedModule {
  const of = (wanted: YamlProblem['severity']): SourceProblem[] =>
    problems.filter(({ severity }) => severity === wanted).map(({ severity: _, hint = '', ...problem }) => ({ ...problem, hint }));
  return { errors: of('error'), warnings: of('warning'), hints: of('hint') };
}
