// Owns the pairing of a stored run with the code that can drive it: the stored definition provides the data, the
// current workflow the functions. If the two differ, nothing runs until a person accepts it.

import { EngineError } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { didYouMean } from '../base/suggest.ts';
import { type BoundStep, type CompiledWorkflow, NO_CODE, type StepCode } from '../definition/code.ts';
import type { EndedMember } from '../definition/group/group-result.ts';
import type { KindFacts } from '../definition/kind.ts';
import { type Definition, type StepModel, stepsWithin } from '../definition/model.ts';
import { plainFrame } from '../definition/plain-frame.ts';
import type { Path } from '../kernel/activation.ts';
import type { Program } from '../kernel/program.ts';
import type { RunState } from '../kernel/run-state.ts';
import { createFlowProgram, type FlowProgram, type FlowRecord } from '../programs/flow.ts';
import { graphProgram } from '../programs/graph.ts';
import { UNDO_STEP } from '../programs/undo.ts';
import type { Store, StoredAttempt } from '../store/store.ts';
import type { EngineCore } from './engine.ts';
import type { DefinitionSource, StoredRun } from './host.ts';
import type { StartOptions } from './run-start.ts';
import { readValues } from './values.ts';
import { resultsOf } from './whole-record.ts';

/** A program with the functions of its steps. */
export interface BoundProgram {
  readonly program: Program;
  readonly bound: (step: string) => BoundStep;
  /** Returns the workflow a step starts, if the flow passed it as a value. */
  readonly child: (step: string) => CompiledWorkflow | undefined;
  /** Returns the undo of a step, if it has one. */
  readonly undo: (step: string) => BoundStep | undefined;
}

/** The parts of an engine that programs are made with. */
interface ProgramParts {
  readonly source: DefinitionSource;
  readonly facts: KindFacts;
}

/** Returns the workflow with a name, or throws an error that lists the known ones. */
export function findWorkflow(source: DefinitionSource, name: string): CompiledWorkflow {
  const workflow = source.find(name);
  if (workflow !== undefined) return workflow;
  const names = source.names();
  const list = names.length === 0 ? 'it has no workflows' : `it has ${names.slice(0, 10).join(', ')}`;
  throw new EngineError('WORKFLOW_UNKNOWN', `this engine has no workflow "${name}"${didYouMean(name, names)}; ${list}`, {
    details: { workflow: name },
  });
}

/** Returns the workflow of a run. A child that a flow passed as a value becomes known when its parent is replayed. */
export async function workflowOf(core: EngineCore, run: StoredRun): Promise<CompiledWorkflow> {
  const { source } = core.parts;
  const { workflow, parent } = run.state;
  if (parent === undefined) return (await source.load?.(run)) ?? findWorkflow(source, workflow);
  if (source.find(workflow) !== undefined) return findWorkflow(source, workflow);
  const above = await core.store.load(parent.run);
  const parentRun = { workflow: await workflowOf(core, above), definition: above.definition, params: await core.paramsOf(above.state) };
  if (source.find(workflow) !== undefined) return findWorkflow(source, workflow);
  const by = above.state.live[parent.path];
  const child = by === undefined ? undefined : (await programOfRun(core, above.state, parentRun)).child(by.step);
  if (child?.definition.name === workflow) source.add?.(child);
  return findWorkflow(source, workflow);
}

/** Throws if the code of a run differs from the code it started with. */
export function checkUnchanged(run: { readonly state: RunState; readonly codeHash: string }, workflow: CompiledWorkflow): void {
  if (run.codeHash === workflow.codeHash) return;
  const change = run.state.def === workflow.hash ? 'the functions of its steps have changed' : 'its steps and their functions have changed';
  throw new EngineError(
    'DEFINITION_CHANGED',
    `run ${run.state.id} started with another version of "${run.state.workflow}": ${change}; restore that version, or resume with acceptChanges (on the command line --accept-changes) to continue with the new code`,
    { details: { run: run.state.id, workflow: run.state.workflow, began: run.codeHash, now: workflow.codeHash } },
  );
}

/** Creates the program of a new run. One that starts in the middle uses the history of another run and supplied results. */
export function programOf(
  { source, facts }: ProgramParts,
  { workflow, params }: { readonly workflow: CompiledWorkflow; readonly params: JsonObject },
  { past, outputs, from }: Pick<StartOptions, 'past' | 'outputs' | 'from'>,
): BoundProgram {
  if (workflow.definition.form === 'graph') return graphOf(workflow.definition, workflow, source);
  const program = createFlowProgram({ workflow, params, facts, undoes: undoesIn(source, workflow) });
  const supplied = new Map([...(past?.supplied ?? []), ...Object.entries(outputs ?? {})]);
  if (past !== undefined || from !== undefined || supplied.size > 0)
    program.replay(undefined, past?.history ?? [], { outputs: supplied, ...(from === undefined ? {} : { until: from }) });
  return flowOf(program);
}

/** Creates a program that can only end a run: cancelling needs none of its code, which may be missing or changed. */
export function inertProgram(): BoundProgram {
  const program: Program = {
    model: () => INERT,
    isOnCycle: () => false,
    goesBack: () => false,
    reads: [],
    begin: () => [],
    next: () => [],
  };
  return { program, bound: () => ({ model: INERT, code: NO_CODE }), child: () => undefined, undo: () => undefined };
}

const INERT: StepModel = { ...plainFrame('', 'ask'), kind: 'task', config: {}, retry: { max: 0, on: [] }, contractRetries: 0 };

/** Creates the program of an existing run: a graph from its stored data, a flow by replaying its results. */
export async function programOfRun(
  { store, parts: { source, facts } }: { readonly store: Store; readonly parts: ProgramParts },
  state: RunState,
  stored: { workflow: CompiledWorkflow; definition: Definition; params: JsonObject },
): Promise<BoundProgram> {
  const { workflow, definition, params } = stored;
  if (state.form === 'graph') return graphOf(workflow.hash === state.def ? workflow.definition : definition, workflow, source);
  const program = createFlowProgram({ workflow, params, facts, undoes: undoesIn(source, workflow) });
  // Rows beyond the checkpoint belong to an owner that took the run over meanwhile.
  const past = (await store.attempts(state.id)).filter((row) => row.seq <= state.seq);
  program.replay(state, await historyOf(store, state, past), { outputs: await suppliedResults(store, past) });
  return flowOf(program);
}

/** Whether a child workflow may have something to undo. A flow always may: its steps are not known before it runs. */
function undoesIn(source: DefinitionSource, workflow: CompiledWorkflow): (child: string | CompiledWorkflow) => boolean {
  const seen = new Set<CompiledWorkflow>();
  const undoes = (parent: CompiledWorkflow, child: string | CompiledWorkflow): boolean => {
    const workflow = typeof child === 'string' ? (parent.children.get(child) ?? source.find(child)) : child;
    if (workflow === undefined || seen.has(workflow)) return false;
    seen.add(workflow);
    const { form, steps } = workflow.definition;
    const all = steps.flatMap(stepsWithin);
    return form === 'flow' || all.some((step) => step.undo !== undefined || (step.kind === 'workflow' && undoes(workflow, step.workflow)));
  };
  return (child) => {
    seen.clear();
    return undoes(workflow, child);
  };
}

function graphOf(definition: Definition, workflow: CompiledWorkflow, source: DefinitionSource): BoundProgram {
  const own = graphProgram(definition);
  const children = own.onUndo === undefined ? definition.steps.flatMap(stepsWithin).filter((step) => step.kind === 'workflow') : [];
  const undoes = undoesIn(source, workflow);
  const program = children.some((step) => undoes(step.workflow)) ? { ...own, onUndo: UNDO_STEP } : own;
  const bound = (step: string): BoundStep => ({ model: program.model(step), code: codeOf(workflow, step) });
  const undo = (step: string): BoundStep | undefined => {
    const { model, code } = bound(step);
    return model.undo === undefined ? undefined : { model: model.undo, code: code.undo ?? NO_CODE };
  };
  return { program, bound, child: () => undefined, undo };
}

const codes = new WeakMap<CompiledWorkflow, ReadonlyMap<string, StepCode>>();

/** The code of a step, or of a group's member by step and name. */
function codeOf(workflow: CompiledWorkflow, step: string): StepCode {
  let known = codes.get(workflow);
  if (known === undefined) {
    const members = [...workflow.code].flatMap(([id, code]) =>
      Object.entries(code.members).map(([name, own]) => [`${id}/${name}`, own] as const),
    );
    known = new Map([...workflow.code, ...members]);
    codes.set(workflow, known);
  }
  return known.get(step) ?? NO_CODE;
}

function flowOf(program: FlowProgram): BoundProgram {
  return {
    program,
    bound: (step) => program.bound(step),
    child: (step) => program.child(step),
    undo: (step) => program.undo(step),
  };
}

/**
 * The ended steps of a flow in the order in which they started, up to the step that is live or where it halted: that step
 * will end again, and whatever followed its first end no longer counts.
 */
async function historyOf(store: Store, state: RunState, past: readonly StoredAttempt[]): Promise<FlowRecord[]> {
  const isOpen = (row: StoredAttempt): boolean => isReplayed(row) && (row.path === state.halt?.path || state.live[row.path] !== undefined);
  const at = past.findIndex(isOpen);
  const open = past[at]?.path;
  return flowHistory(store, at === -1 ? past : past.slice(0, at).filter(({ path }) => path !== open));
}

/** Whether a row is replayed: cancelled and undo steps never reached the generator, and supplied results are no history. */
function isReplayed({ step, outcome, attempt }: StoredAttempt): boolean {
  return outcome !== undefined && outcome !== 'cancelled' && attempt > 0 && step !== UNDO_STEP;
}

/** Returns the results that were supplied in place of steps. */
export async function suppliedResults(store: Store, attempts: readonly StoredAttempt[]): Promise<ReadonlyMap<string, Json>> {
  const rows = attempts.filter(({ attempt }) => attempt === 0);
  return new Map(await resultsOf(store, rows));
}

/** Returns what a replay passes to the generator: the last result of each step, in the order in which the steps started. */
export async function flowHistory(store: Store, attempts: readonly StoredAttempt[]): Promise<FlowRecord[]> {
  const rows = new Map<string, StoredAttempt>();
  for (const row of attempts) if (row.group === undefined && isReplayed(row)) rows.set(row.path, row);
  const kept = withoutVoid([...rows.values()]);
  const members = Map.groupBy(lastOfMembers(attempts, new Set(kept.filter(isFailure).map(({ path }) => path))), ({ group }) => group);
  const read = await readValues(
    store,
    [...kept, ...[...members.values()].flat()].flatMap(({ output, evidence }) => [output, evidence]),
  );
  const memberOf = ({ key = '', outcome = 'cancelled', output, error }: StoredAttempt): EndedMember => ({
    key,
    outcome,
    output: read(output),
    ...omitUndefined({ error }),
  });
  return kept.map((row) => ({
    path: row.path,
    step: row.step,
    outcome: row.outcome as string,
    output: read(row.output),
    ...omitUndefined({ input: row.input, error: row.error }),
    ...(row.evidence === undefined ? {} : { evidence: read(row.evidence) }),
    ...omitUndefined({ members: members.get(row.path)?.map(memberOf) }),
  }));
}

/** Whether the join of a group failed: it did not succeed, and did not run out of time. */
function isFailure({ outcome }: StoredAttempt): boolean {
  return outcome === 'fail' || outcome === 'reject';
}

/** The last attempts of the members of these groups. */
function lastOfMembers(attempts: readonly StoredAttempt[], groups: ReadonlySet<Path>): StoredAttempt[] {
  const last = new Map<Path, StoredAttempt>();
  for (const row of attempts) if (row.group !== undefined && groups.has(row.group) && isReplayed(row)) last.set(row.path, row);
  return [...last.values()];
}

/** The rows that still count: a row is void if an earlier step ended again after it. */
function withoutVoid(rows: readonly StoredAttempt[]): readonly StoredAttempt[] {
  let ended = 0;
  return rows.filter(({ seq }) => {
    if (seq < ended) return false;
    ended = seq;
    return true;
  });
}
