// Owns what surrounds the work of an attempt, as a list of layers from the outside in. A layer runs the attempt inside it,
// and may change what that gets and returns. Whether an attempt needs a layer is asked for every attempt, so it is decided
// here from the step and the services alone; most functions of authors need none.

import { canWrite, databaseNames } from '../definition/database.ts';
import { type KindFacts, traitsOf, worksOutside } from '../definition/kind.ts';
import { type Definition, membersOf, type StepModel, stepsWithin } from '../definition/model.ts';
import { writtenBy } from '../definition/overlap.ts';
import type { AttemptResult } from './attempt.ts';
import { withBuiltValues } from './built.ts';
import { hasFunctions } from './context.ts';
import { verifyingDatabases, workingOnCopies } from './databases/attempt-databases.ts';
import { watchingDatabases } from './databases/watch.ts';
import { acceptingChanges } from './protection/accepted-files.ts';
import type { Job } from './work.ts';
import { isForCaller, isInstructed } from './worker/handover.ts';
import { apart } from './workspace/isolation.ts';
import { readOnly } from './workspace/read-only.ts';
import { afterHandedWork, afterRestores, betweenSnapshots } from './workspace/snapshots.ts';

/** Carries out an attempt. A layer may give it another place or other values than the request had. */
export type Attempt = (job: Job) => Promise<AttemptResult>;

interface Layer {
  isNeeded(job: Job): boolean;
  around(job: Job, attempt: Attempt): Promise<AttemptResult>;
}

/** What surrounds work that the engine starts. Once a database has accepted it, only a snapshot follows, so nothing can fail. */
export const AROUND_WORK: readonly Layer[] = [
  { isNeeded: takesSnapshots, around: betweenSnapshots },
  { isNeeded: (job) => !takesSnapshots(job) && mayRestore(job.request.workflow.definition), around: afterRestores },
  { isNeeded: needsCopies, around: workingOnCopies },
  { isNeeded: (job) => !needsCopies(job) && worksOutside(job.runner, kindOf(job)), around: watchingDatabases },
  { isNeeded: (job) => job.request.bound.code.built !== undefined, around: withBuiltValues },
  { isNeeded: changesJudgedFiles, around: acceptingChanges },
  { isNeeded: isReadOnly, around: readOnly },
  { isNeeded: mayHaveRivals, around: apart },
];

/** What surrounds the verification of work that was handed out. */
export const AROUND_REPORT: readonly Layer[] = [
  { isNeeded: takesSnapshots, around: afterHandedWork },
  { isNeeded: needsCopies, around: verifyingDatabases },
  { isNeeded: changesJudgedFiles, around: acceptingChanges },
];

/** Carries out an attempt inside those of the layers that it needs. */
export function surrounded(layers: readonly Layer[], job: Job, attempt: Attempt): Promise<AttemptResult> {
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

// Facts about whole workflows are computed once: a step must not cost more in a longer workflow.
const restoring = new WeakMap<Definition, boolean>();
const checked = new WeakMap<Definition, boolean>();

function mayRestore(definition: Definition): boolean {
  const has = restoring.get(definition) ?? definition.steps.flatMap(stepsWithin).some(({ onFail }) => onFail === 'restore');
  restoring.set(definition, has);
  return has;
}

/** Whether anything of a step uses its databases: its work, or its author's functions. */
export function needsCopies({ runner, request }: Job): boolean {
  const { model } = request.bound;
  return databaseNames(model).length > 0 && (canWrite(runner.kinds, model.kind) || hasFunctions(request));
}

/** Whether a step may change protected files, or judges them, in a run that checks them. */
function changesJudgedFiles(job: Job): boolean {
  const { writesFiles, checksWork } = traitsOf(job.runner, kindOf(job));
  return (writesFiles !== undefined || checksWork === true) && mayBeJudged(job);
}

/** Whether a check may follow in this run or its family. A flow does not declare that; there it is assumed if agents have roles. */
export function mayBeJudged({ runner, request: { family, workflow } }: Job): boolean {
  if (workflow.definition.form === 'flow') return Object.keys(runner.services.roles ?? {}).length > 0;
  return family?.isChild === true || hasChecks(runner, workflow.definition);
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

/** Only members can have rivals. What is handed out is done by an agent that has its own place to work. */
function mayHaveRivals(job: Job): boolean {
  return !isReadOnly(job) && job.request.group !== undefined && worksOutside(job.runner, kindOf(job)) && !isForCaller(job);
}
