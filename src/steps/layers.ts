// Owns the layers around the work of an attempt, from the outside in. A layer runs the attempt inside it, and may change its
// job and its result. Whether a layer is needed is checked for every attempt, so it depends only on the step and the
// services; most functions of authors need none.

import { canWrite, databaseNames } from '../definition/database.ts';
import { type KindFacts, traitsOf, worksOutside } from '../definition/kind.ts';
import { type Definition, membersOf, type StepModel, stepsWithin } from '../definition/model.ts';
import { writtenBy } from '../definition/overlap.ts';
import type { AttemptResult } from './attempt.ts';
import { withBuiltValues } from './built-values.ts';
import { hasFunctions } from './context.ts';
import { runOnCopies, verifyOnCopies } from './databases/attempt-databases.ts';
import { watchDatabases } from './databases/watch.ts';
import { acceptChanges } from './protection/accepted-files.ts';
import type { Job } from './work.ts';
import { isForCaller, isInstructed } from './worker/handover.ts';
import { inSideCheckout } from './workspace/isolation.ts';
import { rejectFileChanges } from './workspace/read-only.ts';
import { finishRestores, verifyWithSnapshot, withSnapshots } from './workspace/snapshots.ts';

/** Carries out an attempt. */
export type Attempt = (job: Job) => Promise<AttemptResult>;

interface Layer {
  isNeeded(job: Job): boolean;
  around(job: Job, attempt: Attempt): Promise<AttemptResult>;
}

/** The layers around work that the engine starts. Only a snapshot follows once a database has accepted it, so nothing can fail then. */
export const WORK_LAYERS: readonly Layer[] = [
  { isNeeded: takesSnapshots, around: withSnapshots },
  { isNeeded: (job) => !takesSnapshots(job) && mayRestore(job.request.workflow.definition), around: finishRestores },
  { isNeeded: needsCopies, around: runOnCopies },
  { isNeeded: (job) => !needsCopies(job) && worksOutside(job.runner, kindOf(job)), around: watchDatabases },
  { isNeeded: (job) => job.request.bound.code.built !== undefined, around: withBuiltValues },
  { isNeeded: affectsProtectedFiles, around: acceptChanges },
  { isNeeded: isReadOnly, around: rejectFileChanges },
  { isNeeded: mayConflict, around: inSideCheckout },
];

/** The layers around the verification of work that was handed out. */
export const REPORT_LAYERS: readonly Layer[] = [
  { isNeeded: takesSnapshots, around: verifyWithSnapshot },
  { isNeeded: needsCopies, around: verifyOnCopies },
  { isNeeded: affectsProtectedFiles, around: acceptChanges },
];

/** Carries out an attempt inside the layers that it needs. */
export function runInLayers(layers: readonly Layer[], job: Job, attempt: Attempt): Promise<AttemptResult> {
  const needed = layers.filter((layer) => layer.isNeeded(job));
  return needed.reduceRight<Attempt>((inner, layer) => (own) => layer.around(own, inner), attempt)(job);
}

function kindOf({ request }: Job): StepModel['kind'] {
  return request.bound.model.kind;
}

/** Whether an attempt takes snapshots: it may write to the workspace, or its files may have to be restored. */
function takesSnapshots(job: Job): boolean {
  const { runner, request } = job;
  const { snapshots } = runner.services;
  const { model } = request.bound;
  if (snapshots === undefined || model.mutatesCheckout === false) return false;
  if (model.onFail === 'restore') return true;
  if (!snapshots.isKept || request.workflow.definition.snapshot?.off === true) return false;
  const { writesFiles } = traitsOf(runner, model.kind);
  if (writesFiles === 'any' || (writesFiles === 'declared' && writtenBy(model).length > 0)) return true;
  return isInstructed(model) && isForCaller(job);
}

// Facts about whole workflows are cached, so that a step does not cost more in a longer workflow.
const restoring = new WeakMap<Definition, boolean>();
const checked = new WeakMap<Definition, boolean>();

function mayRestore(definition: Definition): boolean {
  const has = restoring.get(definition) ?? definition.steps.flatMap(stepsWithin).some(({ onFail }) => onFail === 'restore');
  restoring.set(definition, has);
  return has;
}

/** Whether the work of a step, or its author's functions, use its databases. */
export function needsCopies({ runner, request }: Job): boolean {
  const { model } = request.bound;
  return databaseNames(model).length > 0 && (canWrite(runner.kinds, model.kind) || hasFunctions(request));
}

/** Whether a step may change or check protected files, in a run that checks them. */
function affectsProtectedFiles(job: Job): boolean {
  const { writesFiles, checksWork } = traitsOf(job.runner, kindOf(job));
  return (writesFiles !== undefined || checksWork === true) && mayHaveChecks(job);
}

/** Whether a check may follow in the run's tree. A flow does not declare that; there it is assumed if agents have roles. */
export function mayHaveChecks({ runner, request: { runTree, workflow } }: Job): boolean {
  if (workflow.definition.form === 'flow') return Object.keys(runner.services.roles ?? {}).length > 0;
  return runTree?.isChild === true || hasChecks(runner, workflow.definition);
}

function hasChecks(facts: KindFacts, definition: Definition): boolean {
  const isCheck = (step: StepModel): boolean =>
    traitsOf(facts, step.kind).checksWork === true || step.kind === 'workflow' || membersOf(step).some(isCheck);
  const has = checked.get(definition) ?? definition.steps.some(isCheck);
  checked.set(definition, has);
  return has;
}

function isReadOnly({ request }: Job): boolean {
  return request.bound.model.mutatesCheckout === false;
}

/** Whether other members of its group may write the same files. Agents that get handed-out work have their own checkout. */
function mayConflict(job: Job): boolean {
  return !isReadOnly(job) && job.request.group !== undefined && worksOutside(job.runner, kindOf(job)) && !isForCaller(job);
}
