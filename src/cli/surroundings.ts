// Owns the check of what workflows need outside their files: the roles, groups, checks and other workflows of a project.
// `pawl validate` reports what is missing, and `pawl run` does not start without it.

import { readFile } from 'node:fs/promises';
import { EngineError, type ErrorCode } from '../base/error.ts';
import type { CompiledWorkflow } from '../definition/code.ts';
import { checksContained } from '../definition/plain-workflow.ts';
import { childNames } from '../definition/validation/children.ts';
import { invalidDefinition, type Problem, severityOf } from '../definition/validation/problem.ts';
import { childCycle, type Reference, referenceProblems, referencesIn, type Surroundings } from '../definition/validation/reference.ts';
import { REGISTRY } from '../kinds/registry.ts';
import { discoverProject } from './definitions.ts';
import type { LoadedWorkflow } from './load.ts';
import { readProjectParts } from './own-parts.ts';
import type { Project } from './project.ts';
import type { Settings } from './settings/settings.ts';

/** What a project has of everything that these references name. Parts that nothing refers to are not read. */
export async function surroundingsOf(
  project: Project,
  {
    references,
    settings,
  }: { readonly references: readonly Reference[]; readonly settings: Pick<Settings, 'roles' | 'groups' | 'databases'> },
): Promise<Surroundings> {
  const needs = (kind: Reference['kind']): boolean => references.some((reference) => reference.kind === kind);
  return {
    checks: needs('check') ? [...Object.keys(REGISTRY.checks), ...(await ownChecks(project))] : [],
    groups: settings.groups ?? {},
    databases: Object.keys(settings.databases ?? {}),
    ...(needs('role') ? { roles: await rolesOf(project, settings), roleHint } : {}),
  };
}

async function ownChecks(project: Project): Promise<string[]> {
  const { declared } = await readProjectParts(project);
  return declared.flatMap(({ part, name }) => (part === 'check' ? [name] : []));
}

function roleHint(name: string): string {
  return `write it as .pawl/agents/${name}.md, or under "roles" in .pawl/config.yaml`;
}

async function rolesOf(project: Project, settings: Pick<Settings, 'roles'>): Promise<NonNullable<Surroundings['roles']>> {
  const { driverProblem, readRoleList } = await import('./roles.ts');
  const list = await readRoleList(project, settings);
  return Object.fromEntries(
    list.map(({ name, driver }) => {
      const problem = driver === undefined ? undefined : driverProblem(driver);
      return [name, problem === undefined ? {} : { problem }];
    }),
  );
}

/** The problem of a workflow that starts itself, directly or through others. */
export function cycleProblem(name: string, childrenOf: (workflow: string) => readonly string[]): Problem | undefined {
  const cycle = childCycle(name, childrenOf);
  if (cycle === undefined) return undefined;
  const message = `workflows start each other in a cycle: ${cycle.join(' → ')}`;
  return { code: 'CHILD_CYCLE', message, hint: 'remove one of these steps; a run would never end' };
}

/** Throws if a workflow, or one that it starts, needs something that the project does not have. */
export async function assertRunnable(
  project: Project,
  { loaded, settings, isAttended }: { readonly loaded: LoadedWorkflow; readonly settings: Settings; readonly isAttended: boolean },
): Promise<void> {
  const all = new Map<string, CompiledWorkflow>();
  collect(loaded.workflow, all);
  const childrenOf = (name: string): string[] => [all.get(name)].flatMap((found) => (found === undefined ? [] : childNames(found)));
  for (const workflow of all.values()) {
    const { name } = workflow.definition;
    const references = workflow === loaded.workflow ? await referencesOf(loaded) : graphReferences(workflow);
    const around = await surroundingsOf(project, { references, settings });
    const found = referenceProblems(
      // The agent that calls can do the work of any role.
      references.filter(({ kind }) => !(isAttended && kind === 'role')),
      { ...around, workflows: await workflowsFor(project, workflow, all) },
    ).map(({ problem }) => problem);
    const cycle = cycleProblem(name, childrenOf);
    const errors = [...found.filter(isRefused), ...(cycle === undefined ? [] : [cycle])];
    if (errors.length > 0) throw refusal(name, errors);
  }
}

/** The error codes of single findings; several findings together are an invalid definition. */
const ERRORS: Readonly<Partial<Record<Problem['code'], ErrorCode>>> = {
  CHILD_CYCLE: 'DEFINITION_CYCLE',
  CHILD_UNKNOWN: 'WORKFLOW_UNKNOWN',
  ROLE_UNKNOWN: 'ROLE_UNKNOWN',
  DATABASE_UNKNOWN: 'DATABASE_UNKNOWN',
};

function refusal(workflow: string, problems: readonly Problem[]): EngineError {
  const error = invalidDefinition(workflow, problems);
  const [only, second] = problems;
  const code = only === undefined || second !== undefined ? undefined : ERRORS[only.code];
  return code === undefined ? error : new EngineError(code, error.message, { details: error.details });
}

/** Unknown roles and groups are only warnings in a project that has none, but a run cannot do without them. */
function isRefused(problem: Problem): boolean {
  return severityOf(problem) === 'error' || problem.code === 'ROLE_UNKNOWN' || problem.code === 'GROUP_UNKNOWN';
}

function collect(workflow: CompiledWorkflow, into: Map<string, CompiledWorkflow>): void {
  if (into.has(workflow.definition.name)) return;
  into.set(workflow.definition.name, workflow);
  for (const child of workflow.children.values()) collect(child, into);
}

function graphReferences({ definition, code }: CompiledWorkflow): readonly Reference[] {
  return referencesIn(definition, [...checksContained(code).keys()]);
}

async function referencesOf({ workflow, file }: LoadedWorkflow): Promise<readonly Reference[]> {
  if (workflow.definition.form !== 'flow') return graphReferences(workflow);
  const [{ isOutline, readOutline }, { flowReferences }] = await Promise.all([
    import('../authoring/discover/outline.ts'),
    import('../authoring/flow/references.ts'),
  ]);
  const outline = await readOutline(file, await readFile(file, 'utf8'));
  return isOutline(outline) ? flowReferences(outline) : [];
}

async function workflowsFor(
  project: Project,
  workflow: CompiledWorkflow,
  loaded: ReadonlyMap<string, CompiledWorkflow>,
): Promise<NonNullable<Surroundings['workflows']>> {
  if (childNames(workflow).every((name) => loaded.has(name)) && workflow.definition.form !== 'flow')
    return new Map([...loaded].map(([name, { definition }]) => [name, { params: definition.params }]));
  const { workflows } = await discoverProject(project);
  return new Map([
    ...workflows.map(({ name }) => [name, {}] as const),
    ...[...loaded].map(([name, { definition }]) => [name, { params: definition.params }] as const),
  ]);
}
