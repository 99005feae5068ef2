// Compiles a graph: the author's object becomes one frozen definition and its functions. Records and lists of steps give the
// same definition, and one error lists all problems.

import { deepFreeze } from '../../base/json.ts';
import { transitionsOf } from '../../definition/analysis.ts';
import type { BoundStep, CompiledWorkflow, StepCode } from '../../definition/code.ts';
import { withDatabases } from '../../definition/database.ts';
import { hashCode, hashDefinition } from '../../definition/hash.ts';
import { tiedToTree } from '../../definition/landing.ts';
import type { Definition, GraphDefinition } from '../../definition/model.ts';
import type { ArgSpecs } from '../../definition/param/arg.ts';
import { checkDefinition } from '../../definition/validation/validate.ts';
import { readTrigger } from '../spec/schedule.ts';
import { isFields } from '../spec/shape.ts';
import type { WorkflowSpec } from '../spec/workflow.ts';
import { DEFAULT_MAX_ITERATIONS, readHeader } from './header.ts';
import { listEntries } from './list.ts';
import { readNext } from './next.ts';
import { defined, GraphReading } from './reading.ts';
import { recordEntries } from './record.ts';
import { NEXT, WORKFLOW } from './shape.ts';
import type { Entries, GraphEntries, GraphSpec } from './spec.ts';
import { readStep } from './step.ts';
import type { Compilers } from './work.ts';

/** Compiles a workflow from its steps by id, checked and frozen, or throws one DEFINITION_INVALID with all problems. */
export function compileWorkflow<S, P, A>(spec: WorkflowSpec<S, P, A>, compilers: Compilers): CompiledWorkflow {
  const reading = new GraphReading(compilers);
  return compile(recordEntries(spec, reading), reading);
}

/** The same from a list of steps. */
export function compileGraph<Ctx = object, P = ArgSpecs>(spec: GraphSpec<Ctx, P>, compilers: Compilers): CompiledWorkflow {
  const reading = new GraphReading(compilers);
  return Object.freeze({ ...compile(listEntries(spec, reading), reading), isCompat: true });
}

/** A spec as a definition and the functions of its steps, both unchecked. */
export interface GraphDraft {
  readonly definition: GraphDefinition;
  readonly steps: readonly BoundStep[];
}

/** Reads a spec; faults of its fields are added to the problems of the reading. */
export function readGraph(spec: GraphEntries<unknown>, reading: GraphReading): GraphDraft {
  reading.name = spec.name;
  reading.readRecovery(spec.recovery);
  const steps = readSteps(spec.steps, spec.limits?.maxIterations, reading);
  const definition = readDefinition(spec, steps, reading);
  checkSides(definition, reading);
  return { definition, steps };
}

function compile(spec: GraphEntries<unknown>, reading: GraphReading): CompiledWorkflow {
  const draft = readGraph(spec, reading);
  checkDefinition(draft.definition, reading.problems, { registry: reading.compilers });
  reading.problems.refuse(draft.definition.name);
  const starts = spec.trigger === undefined ? {} : readTrigger(draft.definition, spec.trigger);
  return finishGraph(draft, reading, { context: spec.context as CompiledWorkflow['context'], ...starts });
}

/** Freezes and hashes a checked draft. */
export function finishGraph(
  { definition, steps }: GraphDraft,
  reading: GraphReading,
  more: { readonly [Field in 'context' | 'trigger' | 'schedule' | 'command']?: CompiledWorkflow[Field] | undefined },
): CompiledWorkflow {
  const frozen = deepFreeze(JSON.parse(JSON.stringify(definition)) as GraphDefinition);
  return Object.freeze(
    defined<CompiledWorkflow>({
      definition: frozen,
      hash: hashDefinition(frozen),
      codeHash: hashCode(reading.roles),
      code: frozenMap<StepCode>(steps.map(({ model, code }) => [model.id, code])),
      context: more.context,
      trigger: more.trigger,
      schedule: more.schedule,
      command: more.command,
      children: frozenMap(reading.children),
    }),
  );
}

function readSteps(entries: Entries<unknown>, limit: number | undefined, reading: GraphReading): BoundStep[] {
  const position = new Map(entries.map(([id], index) => [id, index]));
  return entries.map(([id, spec], index) => {
    const step = reading.step(id);
    const order = { from: index, position, maxIterations: reading.isFile ? undefined : (limit ?? DEFAULT_MAX_ITERATIONS) };
    const { next, ...fields } = isFields(spec) ? spec : {};
    return readStep(isFields(spec) ? fields : spec, {
      step,
      id,
      next: readNext(step.shaped(NEXT, next, 'next'), order, step),
      isMember: false,
    });
  });
}

function readDefinition(spec: GraphEntries<unknown>, steps: readonly BoundStep[], reading: GraphReading): GraphDefinition {
  reading.knownFields(spec, [...Object.keys(WORKFLOW), 'name', 'entry', 'steps'], { subject: 'a workflow' });
  const outputNames = outputNamesOf(steps);
  return {
    ...readHeader(spec, reading),
    form: 'graph',
    entry: spec.entry ?? steps[0]?.model.id ?? '',
    steps: tiedToTree(
      reading.compilers,
      steps.map(({ model }) => withDatabases(reading.compilers.kinds, model, spec.databases)),
    ),
    ...(outputNames === undefined ? {} : { outputNames }),
  };
}

/** Outputs that only one step produces, under names that no step has. */
function outputNamesOf(steps: readonly BoundStep[]): Definition['outputNames'] {
  const producers = new Map<string, Set<string>>();
  for (const { model } of steps)
    for (const { name } of model.outputs ?? []) producers.set(name, (producers.get(name) ?? new Set()).add(model.id));
  const ids = new Set(steps.map(({ model }) => model.id));
  const unique = [...producers].filter(([name, by]) => by.size === 1 && !ids.has(name));
  return unique.length === 0 ? undefined : Object.fromEntries(unique.map(([name, by]) => [name, [...by][0] as string]));
}

/** A map that cannot be changed: freezing a Map freezes its object, not its entries. */
function frozenMap<T>(entries: Iterable<readonly [string, T]>): ReadonlyMap<string, T> {
  const map = new Map(entries);
  const refuse = () => {
    throw new TypeError('a compiled workflow is immutable; define a new one');
  };
  return Object.freeze(Object.assign(map, { set: refuse, delete: refuse, clear: refuse }));
}

/**
 * Reports steps that run beside a run but are not side steps, and transitions into or out of side steps, which the engine runs by
 * itself.
 */
function checkSides({ steps, onError, entry }: GraphDefinition, { problems }: GraphReading): void {
  // A side step that could not be read only seems to be missing.
  if (problems.mistyped.size > 0) return;
  const sides = new Set(steps.filter(({ side }) => side === true).map(({ id }) => id));
  const hint = 'write `side: true` on that step, or name a step that has it';
  const checkName = (field: string, id: string | undefined, step?: string) => {
    if (id === undefined || sides.has(id)) return;
    const message = `${field} must name a side step, not "${id}"${problems.suggest(id, sides)}`;
    problems.add({ code: 'TARGET_UNKNOWN', message, hint, ...(step === undefined ? {} : { step }) });
  };
  checkName('`onError`', onError);
  if (sides.has(entry))
    problems.add({ code: 'ENTRY_UNKNOWN', message: `the entry "${entry}" must not be a side step`, hint: 'choose another step' });
  for (const step of steps) {
    checkName('`extend.onExtend`', step.extension?.onExtend, step.id);
    const wrong = transitionsOf(step).flatMap(({ to }) => ('step' in to && sides.has(to.step) !== sides.has(step.id) ? [to.step] : []));
    for (const id of new Set(wrong))
      problems.add({
        code: 'TARGET_UNKNOWN',
        step: step.id,
        message: `\`next\` must not lead ${sides.has(id) ? 'to the side step' : 'from a side step to'} "${id}"`,
        hint: 'remove the transition, or choose another target: the engine runs side steps by itself',
      });
  }
}
