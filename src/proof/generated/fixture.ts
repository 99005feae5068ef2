// Tries one step on the real engine, in memory: a run begins at the step with the values of a case, a script replaces its
// work and returns one of its outcomes, and the run must follow the definition. The other steps only wait, so no code of
// the author is called: no agent, no handler, no command, no request.

import { createEngine, type Engine } from '../../api/engine.ts';
import { EngineError, messageOf } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { canonicalJson, type JsonObject } from '../../base/json.ts';
import { isChoice } from '../../definition/analysis.ts';
import { type CompiledWorkflow, NO_CODE, type StepContext } from '../../definition/code.ts';
import { targetName } from '../../definition/describe.ts';
import { hashCode, hashDefinition } from '../../definition/hash.ts';
import type { ApprovalModel, Choice, Definition, Edge, StepFrame, StepModel } from '../../definition/model.ts';
import { COMMON_OUTCOMES, DEFAULT_EXCLUDES } from '../../definition/outcome.ts';
import { bindParams } from '../../definition/param/arg.ts';
import { argsOf } from '../../definition/param/domain.ts';
import type { RunEvent } from '../../kernel/event.ts';
import type { GeneratedCase } from './inputs.ts';
import { edgesFor, isFilled, isKnown, type KnownValues } from './known.ts';

/** The end of a step in a trial: an outcome, or the option that a person chooses. */
interface TrialOutcome {
  readonly outcome?: string;
  readonly option?: string;
  /** The entry of the transition table, with the branch of a choice that only a run can make. */
  readonly entry: Edge | Choice;
}

/** Outcomes that only a whole group has. */
const GROUP_OUTCOMES: ReadonlySet<string> = new Set(['reject_all']);
const SIGNAL = 'pawl-test';
const ACTOR = 'pawl test';
const WAIT_MS = 30_000;
/** An engine keeps its runs in memory, so it is replaced after this many. */
const RUNS_PER_ENGINE = 1000;

/** An engine for trials, which stores nothing. Use one for many cases, and close it. */
export class TrialFixture {
  #engine: Promise<Engine> | undefined;
  #runs = 0;

  /** Settles the step of a case with each of its outcomes, and returns the problems. */
  async problemsOf(definition: Definition, step: StepModel, generated: GeneratedCase): Promise<readonly string[]> {
    const problems: string[] = [];
    for (const end of outcomesOf(step, generated)) {
      const problem = await withTimeLimit(this.#try(definition, step, { generated, end }));
      if (problem !== undefined) problems.push(`${nameOf(end)}: ${problem}`);
    }
    return problems;
  }

  /** Ends the engine. */
  async close(): Promise<void> {
    const engine = await this.#engine;
    this.#engine = undefined;
    await engine?.close({ abort: true });
  }

  async #try(
    definition: Definition,
    step: StepModel,
    { generated, end }: { readonly generated: GeneratedCase; readonly end: TrialOutcome },
  ): Promise<string | undefined> {
    const seen: { args?: JsonObject; params?: JsonObject } = {};
    const work = (ctx: StepContext) => {
      const { args, params } = ctx;
      seen.args ??= args;
      seen.params ??= params;
      if (end.outcome === 'error') throw new EngineError('STEP_FAILED', 'scripted');
      return { outcome: end.outcome ?? 'ok', output: {} };
    };
    this.#runs += 1;
    if (this.#runs % RUNS_PER_ENGINE === 0) await this.close();
    const name = `${definition.name}~${this.#runs}`;
    try {
      this.#engine ??= createEngine({ db: ':memory:', synchronous: 'NORMAL', rights: 'checked', warn: () => undefined });
      const engine = await this.#engine;
      const run = await engine.start(trialWorkflow({ ...definition, name }, step, { generated, end, work }), generated.params, {
        facts: generated.args,
      });
      await run.waitOnly('idle');
      if (end.option !== undefined) {
        await run.decide({ option: end.option, actor: ACTOR, input: 'scripted' });
        await run.waitOnly('idle');
      }
      return valueProblem(seen, { definition, step }, { generated, end }) ?? (await routeProblem(run.log(), step, end));
    } catch (error) {
      return messageOf(error);
    }
  }
}

/** A run that does not settle in this time is a failure. */
async function withTimeLimit(trial: Promise<string | undefined>): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const timer = setTimeout(() => resolve(`the run did not come to rest within ${WAIT_MS / 1000} seconds`), WAIT_MS);
  return await Promise.race([trial, promise]).finally(() => clearTimeout(timer));
}

/** Returns every end of a step: the outcomes in its table, and the options of its question. */
function outcomesOf(step: StepModel, values: KnownValues): TrialOutcome[] {
  const outcomes = Object.entries(step.next).filter(([on]) => !GROUP_OUTCOMES.has(on));
  const named = outcomes.flatMap(([on, entry]): TrialOutcome[] => {
    const outcome =
      on === '_default' ? COMMON_OUTCOMES.find((name) => step.next[name] === undefined && !DEFAULT_EXCLUDES.includes(name)) : on;
    if (outcome === undefined) return [];
    return edgesFor(entry, values).map((side) => ({ outcome, entry: side }));
  });
  const options = (step.question?.options ?? []).flatMap(({ label, to }): TrialOutcome[] =>
    to === undefined ? [] : [{ option: label, entry: { to } }],
  );
  return [...named, ...options];
}

function nameOf({ outcome, option }: TrialOutcome): string {
  return option === undefined ? `outcome "${outcome}"` : `option "${option}"`;
}

interface TrialStep {
  readonly generated: GeneratedCase;
  readonly end: TrialOutcome;
  readonly work: (ctx: StepContext) => { readonly outcome: string; readonly output: JsonObject };
}

/** The workflow with the step as its entry, a script in place of its work, and all other steps waiting. */
function trialWorkflow(definition: Definition, step: StepModel, { generated, end, work }: TrialStep): CompiledWorkflow {
  const { name, title, description, params, limits, outputNames } = definition;
  const kept = { name, title, description, form: 'graph' as const, params, limits, ...omitUndefined({ outputNames }) };
  // The run begins at the step, so it cannot be a side step.
  const { side: _, ...tried } = frameOf(step, generated);
  const { outcome } = end;
  const key = outcome !== undefined && step.next[outcome] === undefined ? '_default' : outcome;
  const next = key === undefined ? tried.next : { ...tried.next, [key]: plainEntry(end.entry, generated) };
  const model: StepModel =
    end.option === undefined
      ? { ...tried, next, args: argsOf(step), kind: 'task', config: {} }
      : { ...tried, next, kind: 'human', question: plainQuestion(step.question as ApprovalModel) };
  const steps = definition.steps.map(
    (other): StepModel => (other.id === step.id ? model : { ...frameOf(other, generated), kind: 'signal', signal: SIGNAL }),
  );
  const entered: Definition = { ...kept, entry: step.id, steps };
  const code = new Map(steps.map(({ id }) => [id, id === step.id ? { ...NO_CODE, run: work } : NO_CODE]));
  return { definition: entered, hash: hashDefinition(entered), codeHash: hashCode([]), code, children: new Map() };
}

/** The fields of a step besides its work that decide where a run continues. */
function frameOf({ id, title, next, condition, side }: StepModel, values: KnownValues): StepFrame {
  const entries = Object.entries(next).map(([on, entry]) => [on, plainEntry(entry, values)] as const);
  return {
    id,
    title,
    actions: [],
    args: {},
    preconditions: [],
    postconditions: [],
    next: Object.fromEntries(entries),
    retry: { max: 0, on: [] },
    contractRetries: 0,
    recovery: 'rerun',
    slots: [],
    ...(condition === undefined || !isKnown(condition, values) ? {} : { condition }),
    ...omitUndefined({ side }),
  };
}

/** An entry without the data that it takes from values that only a run has. */
function plainEntry(entry: Edge | Choice, values: KnownValues): Edge | Choice {
  if (isChoice(entry)) return { ...entry, onTrue: plainEdge(entry.onTrue, values), onFalse: plainEdge(entry.onFalse, values) };
  return plainEdge(entry, values);
}

function plainEdge(edge: Edge, values: KnownValues): Edge {
  const { context, ...rest } = edge;
  return context === undefined || isFilled(context, values) ? edge : rest;
}

function plainQuestion({ options }: ApprovalModel): ApprovalModel {
  return { prompt: 'Which option?', show: [], options };
}

/** The problems of the values that the step received. */
function valueProblem(
  seen: { readonly args?: JsonObject; readonly params?: JsonObject },
  { definition, step }: { readonly definition: Definition; readonly step: StepModel },
  { generated, end }: { readonly generated: GeneratedCase; readonly end: TrialOutcome },
): string | undefined {
  if (end.option !== undefined) return undefined;
  if (seen.args === undefined || seen.params === undefined) return 'the step was not reached';
  const args = bindParams(argsOf(step), { ...picked(generated.params, argsOf(step)), ...generated.args }, `step "${step.id}"`);
  const params = bindParams(definition.params, generated.params, `workflow "${definition.name}"`);
  const [actual, expected] = [canonicalJson({ args: seen.args, params: seen.params }), canonicalJson({ args, params })];
  return actual === expected ? undefined : `it was actual ${actual}, not ${expected}`;
}

function picked(values: JsonObject, names: object): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(names, name)));
}

/** The problem of the step to which the run continued after the first visit of the step under test. */
async function routeProblem(log: AsyncIterable<RunEvent>, step: StepModel, { entry }: TrialOutcome): Promise<string | undefined> {
  const targets = isChoice(entry) ? [entry.onTrue.to, entry.onFalse.to] : [entry.to];
  const wanted = targets.map(targetName);
  let taken: string | undefined;
  for await (const event of log) {
    if (event.type === 'edge.taken' && taken === undefined) {
      if (!wanted.includes(event.to)) return `the run went to "${event.to}", not to ${wanted.map((name) => `"${name}"`).join(' or ')}`;
      taken = event.to;
    } else if (event.type === 'step.opened' && taken !== undefined) {
      return event.activation.step === taken ? undefined : `the run opened "${event.activation.step}", not "${taken}"`;
    } else if (event.type === 'run.changed' && event.change === 'ended') return undefined;
    else if (event.type === 'run.changed' && event.change === 'halted') return taken === undefined ? event.halt.message : undefined;
  }
  return `the run stopped at "${step.id}"`;
}
