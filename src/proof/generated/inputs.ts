// Owns the generated cases of a workflow: every combination of the values that its parameters and the arguments of its
// steps can have, at every step. Nothing is sampled; if the cases cannot be listed, an error says how to limit them.
//
// - Every case has a unique id, the number of its step, and how many steps there are; steps come in their order.
// - A parameter that counts iterations varies only at steps that a run can visit again.
// - A step that these values skip has no case with them.

import { digestText } from '../../base/digest.ts';
import { EngineError } from '../../base/error.ts';
import { canonicalJson, type Json, type JsonObject } from '../../base/json.ts';
import { stepsOnCycles } from '../../definition/analysis.ts';
import { type ArgModel, type Definition, membersOf, type StepModel } from '../../definition/model.ts';
import { argumentFault } from '../../definition/param/arg.ts';
import { ChoiceSet, Constant, type Domain, domainOf } from '../../definition/param/domain.ts';
import { isRuledOut, stepsFor } from './known.ts';

/** One generated case: a step, with values for the parameters of the workflow and the arguments of the step. */
export interface GeneratedCase {
  /** Unique in the project: `deepthink/plan:mode=quick,iteration=2`. */
  readonly id: string;
  readonly workflow: string;
  /** The id of the step; `GROUP/BRANCH` for a branch. */
  readonly step: string;
  /** The number of the step, from 1. A branch has the number of its group. */
  readonly number: number;
  readonly totalSteps: number;
  readonly params: JsonObject;
  readonly args: JsonObject;
}

/** How cases are generated. */
export interface GenerateOptions {
  /** The values to use for parameters and arguments, such as those whose declaration does not bound them. */
  readonly values?: Readonly<Record<string, readonly Json[]>>;
  /** Leaves out cases: such as steps that a handler skips, which the definition does not show. */
  readonly applies?: (step: string, values: JsonObject) => boolean;
  /** The maximum number of cases; more are an error. Default: 10,000. */
  readonly casesMax?: number;
}

/** The source of generated cases. */
export type GenerateSubject = Definition | { readonly definition: Definition };

/** A unit of work: a step, or a branch of one. */
interface WorkUnit {
  readonly id: string;
  readonly step: StepModel;
  readonly args: Readonly<Record<string, ArgModel>>;
  readonly number: number;
  readonly group?: StepModel;
}

const CASES_MAX = 10_000;
const ITERATION = /(?:^|[-_])iteration$|[a-z]Iteration$/;
const VALUE_CHARACTERS_MAX = 40;

/** Generates every case of a workflow, in the order of its steps. A flow has steps only while it runs, so it has none. */
export function* generateInputs(subject: GenerateSubject, options: GenerateOptions = {}): Generator<GeneratedCase> {
  const definition = 'definition' in subject ? subject.definition : subject;
  const { casesMax = CASES_MAX, applies = () => true } = options;
  const generator = new Generation(definition, { ...options, casesMax });
  const ids = new Set<string>();
  for (const unit of workUnitsOf(definition.steps))
    for (const generated of generator.casesAt(unit)) {
      if (!applies(generated.step, { ...generated.params, ...generated.args })) continue;
      if (ids.has(generated.id)) throw new Error(`two generated cases have the id ${generated.id}`);
      ids.add(generated.id);
      if (ids.size > casesMax) throw generator.tooMany(unit);
      yield generated;
    }
}

type Domains = readonly (readonly [name: string, domain: Domain])[];
type Args = Readonly<Record<string, ArgModel>>;

interface ParamSet {
  readonly params: JsonObject;
  /** The steps that a run with these parameters can reach and does not skip. */
  readonly steps: ReadonlySet<string>;
}

class Generation {
  readonly #definition: Definition;
  readonly #options: GenerateOptions & { readonly casesMax: number };
  readonly #looping: ReadonlySet<string>;
  /** The combinations of parameters at steps that iterate, and at the others. */
  readonly #paramSets = new Map<boolean, readonly ParamSet[]>();

  constructor(definition: Definition, options: GenerateOptions & { readonly casesMax: number }) {
    this.#definition = definition;
    this.#options = options;
    this.#looping = stepsOnCycles(definition);
  }

  *casesAt(unit: WorkUnit): Generator<GeneratedCase> {
    const { group = unit.step } = unit;
    const iterates = this.#looping.has(group.id) || group.next.iterate !== undefined;
    const { name: workflow, steps } = this.#definition;
    const argSets = this.#product(this.#domains(unit.args, { iterates, owner: `step "${unit.id}"` }), unit.args);
    const seen = new Set<string>();
    for (const { params, steps: reached } of this.#params(iterates))
      for (const args of reached.has(group.id) ? argSets : []) {
        const values = { params, args };
        const id = `${workflow}/${unit.id}${valuesText({ ...params, ...args })}`;
        const isOut = isRuledOut(unit.step.condition, { workflow, step: unit.step.id }, values);
        if (isOut || seen.has(id) || !this.#agree(values)) continue;
        seen.add(id);
        yield { id, workflow, step: unit.id, number: unit.number, totalSteps: steps.length, ...values };
      }
  }

  #params(iterates: boolean): readonly ParamSet[] {
    const known = this.#paramSets.get(iterates);
    if (known !== undefined) return known;
    const { params: declared, name } = this.#definition;
    const all = this.#product(this.#domains(declared, { iterates, owner: `workflow "${name}"` }), declared);
    const sets = all.map((params) => ({ params, steps: stepsFor(this.#definition, params) }));
    this.#paramSets.set(iterates, sets);
    return sets;
  }

  /** A step's argument has the value of the parameter with its name, unless the value is not allowed there. */
  #agree({ params, args }: Pick<GeneratedCase, 'params' | 'args'>): boolean {
    return Object.entries(args).every(([name, value]) => {
      const model = Object.hasOwn(params, name) ? this.#definition.params[name] : undefined;
      const isOther = model !== undefined && canonicalJson(params[name] as Json) !== canonicalJson(value);
      return !isOther || argumentFault({ [name]: model }, { [name]: value }) !== undefined;
    });
  }

  #domains(args: Args, { iterates, owner }: { readonly iterates: boolean; readonly owner: string }): Domains {
    const { values = {} } = this.#options;
    return Object.entries(args).flatMap(([name, model]) => {
      const choices = Object.hasOwn(values, name) ? values[name] : undefined;
      const domain = choices === undefined ? domainOf(model) : ChoiceSet(choices);
      if (domain === undefined && model.required) throw unbounded(name, owner);
      if (domain === undefined) return [];
      if (iterates || !ITERATION.test(name)) return [[name, domain] as const];
      return model.required || model.default !== undefined ? [[name, Constant(model.default ?? domain.at(0))] as const] : [];
    });
  }

  #product(domains: Domains, args: Args): readonly JsonObject[] {
    const size = domains.reduce((total, [, domain]) => total * domain.size, 1);
    if (size > this.#options.casesMax) throw this.#tooLarge(args);
    return domains.reduce<readonly JsonObject[]>(
      (sets, [name, domain]) => sets.flatMap((set) => [...domain].map((value) => ({ ...set, [name]: value }))),
      [{}],
    );
  }

  /** The error for more cases than allowed at a step. */
  tooMany({ args }: WorkUnit): EngineError {
    return this.#tooLarge({ ...this.#definition.params, ...args });
  }

  #tooLarge(args: Args): EngineError {
    const { casesMax } = this.#options;
    const { name } = this.#definition;
    const sizes = Object.entries(args).map(([arg, model]) => [arg, domainOf(model)?.size ?? 0] as const);
    const [largest, size] = sizes.reduce((most, entry) => (entry[1] > most[1] ? entry : most), ['', 0]);
    const message = `workflow "${name}" has more than ${casesMax} generated cases; "${largest}" alone has ${size} values: give it fewer choices or nearer bounds, or test some of its values (-p ${largest}=VALUE, or \`values\` in a program)`;
    return new EngineError('CASES_UNBOUNDED', message, { details: { workflow: name, param: largest } });
  }
}

function unbounded(name: string, owner: string): EngineError {
  const message = `"${name}" of ${owner} is required and can have any value, so its cases cannot be generated; declare choices, a minimum and a maximum, or a default, or test some values (-p ${name}=VALUE, or \`values\` in a program)`;
  return new EngineError('CASES_UNBOUNDED', message, { details: { param: name } });
}

/** All units of work. A fan-out has no separate arguments: those of its body are on the step. */
function workUnitsOf(steps: readonly StepModel[]): WorkUnit[] {
  return steps.flatMap((step, index) => {
    const number = index + 1;
    const own = { id: step.id, step, number, args: step.kind === 'each' ? { ...step.args, ...step.body.args } : step.args };
    const branches = step.kind === 'each' ? [] : membersOf(step);
    return [own, ...branches.map((branch) => ({ id: `${step.id}/${branch.id}`, step: branch, number, args: branch.args, group: step }))];
  });
}

function valuesText(values: JsonObject): string {
  const parts = Object.entries(values).map(([name, value]) => `${name}=${valueText(value)}`);
  return parts.length === 0 ? '' : `:${parts.join(',')}`;
}

/** A value in an id: words unchanged, ambiguous values in quotes, long values as their digest. */
function valueText(value: Json): string {
  const text =
    typeof value === 'string' && /^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(value) && !/^(?:true|false|null)$/.test(value)
      ? value
      : canonicalJson(value);
  return text.length <= VALUE_CHARACTERS_MAX ? text : digestText(text).slice(0, 12);
}
