// Owns the check that everything a workflow refers to exists in its project: roles, groups, databases, gate checks and other
// workflows. `pawl validate` reports what is missing, and `pawl run` does not start without it.

import { readFile } from 'node:fs/promises';
import { EngineError, type ErrorCode } from '../base/error.ts';
import type { CompiledWorkflow } from '../definition/code.ts';
import { checksContained } from '../definition/plain-workflow.ts';
import { childNames } from '../definition/validation/children.ts';
import { invalidDefinition, type Problem, severityOf } from '../definition/validation/problem.ts';
import { childCycle, type ExternalNames, type Reference, referenceProblems, referencesIn } from '../definition/validation/reference.ts';
import { REGISTRY } from '../kinds/registry.ts';
import { discoverProject } from './definitions.ts';
import type { LoadedWorkflow } from './load.ts';
import type { Project } from './project.ts';
import { readProjectParts } from './project-parts.ts';
import type { Settings } from './settings/settings.ts';

/** References, and the settings that may define what they name. */
interface References {
  readonly references: readonly Reference[];
  readonly settings: Pick<Settings, 'roles' | 'groups' | 'databases'>;
}

/** Reads the names that references can have in a project. A kind that nothing refers to is not read. */
export async function readExternalNames(project: Project, { references, settings }: References): Promise<ExternalNames> {
  const needs = (kind: Reference['kind']): boolean => references.some((reference) => reference.kind === kind);
  return {
    checks: needs('check') ? [...Object.keys(REGISTRY.checks), ...(await projectChecks(project))] : [],
    groups: settings.groups ?? {},
    databases: Object.keys(settings.databases ?? {}),
    ...(needs('role') ? { roles: await rolesOf(project, settings) } : {}),
    roleHint: (name) => `define it in .pawl/agents/${name}.md, or under "roles" in .pawl/config.yaml`,
  };
}

async function projectChecks(project: Project): Promise<string[]> {
  const { declared } = await readProjectParts(project);
  return declared.flatMap(({ part, name }) => (part === 'check' ? [name] : []));
}

async function rolesOf(project: Project, settings: Pick<Settings, 'roles'>): Promise<NonNullable<ExternalNames['roles']>> {
  const { driverProblem, readRoleList } = await import('./roles.ts');
  const list = await readRoleList(project, settings);
  return Object.fromEntries(
    list.map(({ name, driver }) => {
      const problem = driver === undefined ? undefined : driverProblem(driver);
      return [name, problem === undefined ? {} : { problem }];
    }),
  );
}

/** The problem if a workflow starts itself, directly or through others. */
export function cycleProblem(name: string, childrenOf: (workflow: string) => readonly string[]): Problem | undefined {
  const cycle = childCycle(name, childrenOf);
  if (cycle === undefined) return undefined;
  const message = `workflows start each other in a cycle: ${cycle.join(' → ')}`;
  return { code: 'CHILD_CYCLE', message, hint: 'remove one of these steps; a run would never end' };
}

/** Throws if a workflow, or one that it starts, refers to something that does not exist. */
export async function assertRunnable(
  project: Project,
  { loaded, settings, isAttended }: { readonly loaded: LoadedWorkflow; readonly settings: Settings; readonly isAttended: boolean },
): Promise<void> {
  const all = withChildren(loaded.workflow);
  const childrenOf = (name: string): string[] => [all.get(name)].flatMap((found) => (found === undefined ? [] : childNames(found)));
  for (const workflow of all.values()) {
    const { name } = workflow.definition;
    const found = workflow === loaded.workflow ? await referencesOf(loaded) : graphReferences(workflow);
    // The agent that calls can do the work of any role.
    const references = isAttended ? found.filter(({ kind }) => kind !== 'role') : found;
    const surroundings = {
      ...(await readExternalNames(project, { references, settings })),
      workflows: await workflowsFor(project, workflow, all),
    };
    const problems = referenceProblems(references, surroundings).map(({ problem }) => problem);
    const cycle = cycleProblem(name, childrenOf);
    const errors = [...problems.filter(preventsRun), ...(cycle === undefined ? [] : [cycle])];
    if (errors.length > 0) throw errorFor(name, errors);
  }
}

/** The error code of a problem on its own; several together are an invalid definition. */
const ERRORS: Readonly<Partial<Record<Problem['code'], ErrorCode>>> = {
  CHILD_CYCLE: 'DEFINITION_CYCLE',
  CHILD_UNKNOWN: 'WORKFLOW_UNKNOWN',
  ROLE_UNKNOWN: 'ROLE_UNKNOWN',
  DATABASE_UNKNOWN: 'DATABASE_UNKNOWN',
};

function errorFor(workflow: string, problems: readonly Problem[]): EngineError {
  const error = invalidDefinition(workflow, problems);
  const [only, second] = problems;
  const code = only === undefined || second !== undefined ? undefined : ERRORS[only.code];
  return code === undefined ? error : new EngineError(code, error.message, { details: error.details });
}

/** Unknown roles and groups are warnings in a project that defines none, but a run needs them. */
function preventsRun(problem: Problem): boolean {
  return severityOf(problem) === 'error' || problem.code === 'ROLE_UNKNOWN' || problem.code === 'GROUP_UNKNOWN';
}

/** A workflow and all that it starts, by name. */
function withChildren(workflow: CompiledWorkflow, found = new Map<string, CompiledWorkflow>()): Map<string, CompiledWorkflow> {
  if (found.has(workflow.definition.name)) return found;
  found.set(workflow.definition.name, workflow);
  for (const child of workflow.children.values()) withChildren(child, found);
  return found;
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
): Promise<NonNullable<ExternalNames['workflows']>> {
  const known = [...loaded].map(([name, { definition }]) => [name, { params: definition.params }] as const);
  if (childNames(workflow).every((name) => loaded.has(name)) && workflow.definition.form !== 'flow') return new Map(known);
  const { workflows } = await discoverProject(project);
  return new Map([...workflows.map(({ name }) => [name, {}] as const), ...known]);
}
