// Owns the tests that a workflow generates for itself, by category: that it was loaded, its structure, every case of its
// steps, and the domains of its parameters. A test is data with a function; running them is up to the caller.

import type { AnyWorkflow, EngineOptions } from '../../api/engine-options.ts';
import { compiledOf } from '../../api/workflow-source.ts';
import { messageOf } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { canonicalJson, type Json } from '../../base/json.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import type { KindRegistry } from '../../definition/kind.ts';
import { type ArgModel, type Definition, membersOf } from '../../definition/model.ts';
import { argFaults, argumentFault } from '../../definition/param/arg.ts';
import { type Domain, domainOf } from '../../definition/param/domain.ts';
import { severityOf } from '../../definition/validation/problem.ts';
import { findProblems } from '../../definition/validation/validate.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import { TrialFixture } from './fixture.ts';
import { type GeneratedCase, type GenerateOptions, generateInputs } from './inputs.ts';
import { textProblems } from './text.ts';

/** The categories of generated tests, in the order in which they run. */
const TEST_CATEGORIES = ['import', 'structure', 'steps', 'domain'] as const;

/** One category. */
export type TestCategory = (typeof TEST_CATEGORIES)[number];

/** How the tests of a workflow are generated. */
export interface TestOptions extends GenerateOptions {
  /** Only this category, or these. */
  readonly category?: TestCategory | readonly TestCategory[];
  /** Only the test with this id; if there is none, those with this text in their id. */
  readonly filter?: string;
  /** The roles, checks and protected files of the project, which are part of what agents read. */
  readonly services?: Pick<EngineOptions, 'cwd' | 'roles' | 'checks' | 'stages' | 'protected'>;
  /**
   * The step kinds and checks to validate with, if there are custom ones.
   * @internal
   */
  readonly registry?: KindRegistry;
}

/** One generated test. */
export interface PlannedTest {
  readonly id: string;
  readonly category: TestCategory;
  /** The values of a test of category `steps`. */
  readonly generated?: GeneratedCase;
  /** Returns the problems; none if the test passes. */
  check(): Promise<readonly string[]>;
}

/** The tests of a workflow, and their shared resources. */
interface TestPlan {
  readonly workflow: string;
  readonly tests: readonly PlannedTest[];
  close(): Promise<void>;
}

/** Plans the tests of a workflow. Nothing is run before their `check` is called. */
export function planTests(workflow: AnyWorkflow, options: TestOptions = {}): TestPlan {
  const compiled = compiledOf(workflow);
  const { definition } = compiled;
  const fixture = new TrialFixture();
  const categories: Record<TestCategory, () => PlannedTest[]> = {
    import: () => [testOf(`${definition.name}/import`, 'import', () => loadProblems(definition))],
    structure: () => [testOf(`${definition.name}/structure`, 'structure', () => structureProblems(definition, options))],
    steps: () => stepTests(compiled, fixture, options),
    domain: () => domainTests(definition, options),
  };
  const { category = TEST_CATEGORIES } = options;
  const chosen: readonly TestCategory[] = [category].flat();
  const wanted = TEST_CATEGORIES.filter((name) => chosen.includes(name));
  const tests = wanted.flatMap((name) => categories[name]());
  return { workflow: definition.name, tests: filtered(tests, options.filter), close: () => fixture.close() };
}

/** Returns the tests that a filter chooses. */
export function filtered<T extends { readonly id: string }>(tests: readonly T[], filter: string | undefined): readonly T[] {
  if (filter === undefined) return tests;
  const exact = tests.filter(({ id }) => id === filter);
  return exact.length > 0 ? exact : tests.filter(({ id }) => id.includes(filter));
}

function testOf(id: string, category: TestCategory, check: () => readonly string[] | Promise<readonly string[]>): PlannedTest {
  return { id, category, check: async () => check() };
}

function loadProblems({ name, form, steps }: Definition): string[] {
  if (name.trim() === '') return ['the workflow has no name'];
  return form === 'graph' && steps.length === 0 ? ['the workflow has no steps'] : [];
}

function structureProblems(definition: Definition, { registry = REGISTRY }: TestOptions): string[] {
  // Which names a condition may read was decided when the workflow was compiled, and depends on its format.
  const problems = findProblems(definition, { registry, roots: 'any' }).filter((problem) => severityOf(problem) === 'error');
  return problems.map(({ step, code, message, hint }) => `${step === undefined ? '' : `step "${step}": `}${message}; ${hint} (${code})`);
}

/** A test per generated case; if they cannot be generated, one that says why. */
function stepTests(workflow: CompiledWorkflow, fixture: TrialFixture, options: TestOptions): PlannedTest[] {
  const { definition } = workflow;
  const services = { cwd: process.cwd(), now: () => Date.now(), ...omitUndefined(options.services ?? {}) };
  const problemsOf = async (generated: GeneratedCase): Promise<readonly string[]> => {
    const step = definition.steps.find(({ id }) => id === generated.step);
    const turns = step === undefined ? [] : await fixture.problemsOf(definition, step, generated);
    return [...(await textProblems(workflow, generated, services)), ...turns];
  };
  try {
    const cases = [...generateInputs(definition, options)];
    return cases.map((generated) => ({ ...testOf(generated.id, 'steps', () => problemsOf(generated)), generated }));
  } catch (error) {
    return [testOf(`${definition.name}/steps`, 'steps', () => [messageOf(error)])];
  }
}

function domainTests({ name, params, steps }: Definition, { values = {} }: TestOptions): PlannedTest[] {
  const declared = [
    ...Object.entries(params).map(([arg, model]) => ({ id: `${name}/domain:${arg}`, arg, model })),
    ...steps.flatMap((step) =>
      [step, ...membersOf(step)].flatMap(({ id, args }) =>
        Object.entries(args).map(([arg, model]) => ({
          id: `${name}/domain:${id === step.id ? id : `${step.id}/${id}`}.${arg}`,
          arg,
          model,
        })),
      ),
    ),
  ];
  const byId = new Map(declared.map((step) => [step.id, step]));
  return [...byId.values()].map(({ id, arg, model }) => testOf(id, 'domain', () => domainProblems(arg, model, values[arg])));
}

/** The faults of a parameter: values in its domain, and its default, must be accepted; values just outside it must be rejected. */
function domainProblems(name: string, model: ArgModel, values: readonly Json[] = []): string[] {
  const accepts = (value: Json): boolean => argumentFault({ [name]: model }, { [name]: value }) === undefined;
  const domain = domainOf(model);
  const rejected = [...(domain ?? []), ...values].filter((value) => !accepts(value));
  const accepted = outside(model, domain).filter(accepts);
  const isMissingRejected = !model.required || model.default !== undefined || argumentFault({ [name]: model }, {}) !== undefined;
  return [
    ...argFaults(model),
    ...rejected.map((value) => `${canonicalJson(value)} is one of its values, but is rejected`),
    ...accepted.map((value) => `${canonicalJson(value)} is outside of its values and is accepted`),
    ...(isMissingRejected ? [] : ['it is required and may be missing']),
  ];
}

/** Values just outside the domain of a parameter. */
function outside(model: ArgModel, domain: Domain | undefined): Json[] {
  const bounds = [...(model.min === undefined ? [] : [model.min - 1]), ...(model.max === undefined ? [] : [model.max + 1])];
  const between = model.type === 'integer' && model.min !== undefined ? [model.min + 0.5] : [];
  const typed: Json[] =
    model.type === 'boolean' ? ['true', 1] : model.type === 'string' ? [1] : model.type === 'json' || model.type === undefined ? [] : ['1'];
  const other: Json[] = model.choices === undefined ? [] : [unlisted(domain)];
  return [...bounds, ...between, ...typed, ...other];
}

function unlisted(domain: Domain | undefined): string {
  const texts = new Set([...(domain ?? [])].filter((value) => typeof value === 'string'));
  let text = 'something-else';
  while (texts.has(text)) text += '-';
  return text;
}
