// Owns a project as a server shows it: its workflows with their errors and whether they are trusted, the checks of `pawl
// doctor`, and the settings that are safe to show.

import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { failureOf, isEngineError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { RunReport } from '../../control/schema/run.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import type { Definition } from '../../definition/model.ts';
import { referencesIn } from '../../definition/validation/reference.ts';
import type { StoredRun } from '../../engine/host.ts';
import type { ScheduledWorkflow } from '../../server/events/schedules.ts';
import type {
  CommandedWorkflow,
  ProjectAddress,
  ServedProject,
  StartableWorkflow,
  StartTrigger,
  TriggeredWorkflow,
} from '../../server/services.ts';
import { workflowShape } from '../../server/workflow-shape.ts';
import type { Store } from '../../store/store.ts';
import { internalArgs } from '../command.ts';
import { discoverProject } from '../definitions.ts';
import { compileDeclared, loadDescription, workflowUnknown } from '../load.ts';
import { completeReport } from '../run-report/complete.ts';
import type { Setup } from '../session.ts';
import type { Shell } from '../shell.ts';
import { assertTrusted } from '../trust/trust.ts';
import type { ProjectSource } from './project-source.ts';

type WorkflowList = Awaited<ReturnType<ServedProject['workflows']>>;
type WorkflowDetail = Awaited<ReturnType<ServedProject['workflow']>>;

interface FileProjectParts {
  readonly source: ProjectSource;
  readonly store: Store;
  readonly beside?: () => readonly ProjectAddress[];
}

/** What starts a workflow without a person. */
type StartConditions = { readonly workflow: string } & Pick<CompiledWorkflow, 'schedule' | 'trigger' | 'command'>;

/** A project that is served from its files. */
export class FileProject implements ServedProject {
  readonly name: string;
  readonly root: string;
  private readonly shell: Shell;
  private readonly setup: Setup;
  private readonly source: ProjectSource;
  private readonly store: Store;
  readonly otherProjects: () => readonly ProjectAddress[];

  constructor(shell: Shell, setup: Setup, { source, store, beside = () => [] }: FileProjectParts) {
    this.name = basename(setup.project.root);
    this.root = setup.project.root;
    this.shell = shell;
    this.setup = setup;
    this.source = source;
    this.store = store;
    this.otherProjects = beside;
  }

  async workflows(): Promise<WorkflowList> {
    const { workflows, problems } = await discoverProject(this.setup.project);
    const sorted = [...workflows].sort((a, b) => (a.name < b.name ? -1 : 1));
    const listed = sorted.map(async (workflow) => ({ ...workflow, trusted: await this.isTrusted(workflow.file) }));
    return { workflows: await Promise.all(listed), problems };
  }

  private async isTrusted(file: string): Promise<boolean> {
    return (await failureOf(() => assertTrusted(this.shell, this.setup.project, { file }))) === undefined;
  }

  async workflow(name: string): Promise<WorkflowDetail> {
    const { workflows, problems } = await discoverProject(this.setup.project);
    const found = workflows.find((workflow) => workflow.name === name);
    if (found === undefined)
      throw workflowUnknown(name, {
        names: workflows.map((one) => one.name),
        unread: problems.map(({ file }) => this.shell.shownFile(file)),
      });
    const { file, title, description, form } = found;
    const trusted = await this.isTrusted(file);
    const definition = trusted ? await this.trustedDefinition(name) : await this.declaredDefinition(file);
    const shape = definition === undefined ? { name, title, description, form, params: null, graph: null } : workflowShape(definition);
    const problemsHere = problems.filter((problem) => problem.file === file);
    return { ...shape, file, trusted, findings: [...problemsHere, ...(await this.findings(file))] };
  }

  /** The definition of a trusted workflow; a module is loaded in a separate process. */
  private async trustedDefinition(name: string): Promise<Definition | undefined> {
    try {
      return (await loadDescription(this.shell, this.setup.project, name)).workflow.definition;
    } catch (error) {
      // The error is among the findings of the file.
      if (isEngineError(error)) return undefined;
      throw error;
    }
  }

  /** The definition of a file that is not trusted, if it can be read without running code. */
  private async declaredDefinition(file: string): Promise<Definition | undefined> {
    if (!/\.ya?ml$/.test(file)) return undefined;
    const compiled = await compileDeclared(this.setup.project, file, await readFile(file, 'utf8'));
    return typeof compiled === 'string' ? undefined : compiled.definition;
  }

  private async findings(file: string): Promise<WorkflowDetail['findings']> {
    const { checkedFiles } = await import('../commands/validate.ts');
    const checked = await checkedFiles(this.shell, internalArgs(this.shell.args.location, { FILE: [file] }));
    return checked.flatMap(({ errors, warnings }) => [
      ...errors.map((one) => ({ ...one, file, severity: 'error' })),
      ...warnings.map((one) => ({ ...one, file, severity: 'warning' })),
    ]);
  }

  async startable(name: string, _params: JsonObject, trigger?: StartTrigger): Promise<StartableWorkflow> {
    const { settings, project } = this.setup;
    const loaded = await this.source.loadNamed(name);
    const { workflow, file } = loaded;
    const [{ startDataOf }, { assertRunnable }] = await Promise.all([import('../trigger/start-data.ts'), import('../reference-check.ts')]);
    await assertRunnable(project, { loaded, settings, isAttended: false });
    const { payload = {}, facts = {}, event = '' } = trigger ?? {};
    const started = trigger === undefined ? undefined : { payload, facts, origin: { event }, option: `the event ${event}` };
    const secretRoles = await this.secretRoles(workflow);
    return { workflow, file, facts: startDataOf(workflow.definition, { settings, trigger: started }), secretRoles };
  }

  /** The roles of a workflow that get a secret. The roles of a flow are only known when it runs, so all count. */
  private async secretRoles(workflow: CompiledWorkflow): Promise<string[]> {
    const { project, settings } = this.setup;
    const { readRoleList } = await import('../roles.ts');
    const all = await readRoleList(project, settings);
    const secret = all.filter(({ env = {} }) => Object.values(env).some((value) => typeof value === 'object')).map(({ name }) => name);
    if (secret.length === 0) return [];
    const roles = rolesOf(workflow);
    return secret.filter((name) => roles === 'any' || roles.has(name));
  }

  async forkable(run: StoredRun): Promise<void> {
    await this.source.reload(run);
  }

  completeReport(report: RunReport): Promise<RunReport> {
    return completeReport(this.shell, this.setup, { store: this.store, report });
  }

  async scheduled(): Promise<readonly ScheduledWorkflow[]> {
    return (await this.startables()).flatMap(({ workflow, schedule }) => (schedule === undefined ? [] : [{ workflow, schedule }]));
  }

  async triggered(): Promise<readonly TriggeredWorkflow[]> {
    return (await this.startables()).flatMap(({ workflow, trigger }) => (trigger === undefined ? [] : [{ workflow, trigger }]));
  }

  async commanded(): Promise<readonly CommandedWorkflow[]> {
    return (await this.startables()).flatMap(({ workflow, command }) => (command === undefined ? [] : [{ workflow, command }]));
  }

  /** The workflows that can be started. One that is not trusted or cannot be loaded is left out; `pawl list` and `pawl validate` show why. */
  private async startables(): Promise<readonly StartConditions[]> {
    const { workflows } = await discoverProject(this.setup.project);
    const loaded = workflows.map(async ({ name }): Promise<StartConditions | undefined> => {
      const found = await this.source.loadNamed(name).catch(() => undefined);
      return found === undefined ? undefined : { ...found.workflow, workflow: name };
    });
    return (await Promise.all(loaded)).filter((one) => one !== undefined);
  }

  async checks(): ReturnType<ServedProject['checks']> {
    const { shell, setup } = this;
    const [{ checkSetup, checkProgram, checkSecrets }, { checkRoles }, { checkWorkflows }] = await Promise.all([
      import('../doctor/doctor.ts'),
      import('../doctor/roles.ts'),
      import('../doctor/workflows.ts'),
    ]);
    const { checks } = await checkSetup(shell, shell.args);
    const roles = await checkRoles(setup.project, setup.settings, shell.env);
    const all = [...checkProgram(shell), ...checks, ...(await checkWorkflows(shell, shell.args)), ...roles, ...checkSecrets(setup)];
    return all
      .filter(({ id }) => id !== 'terminal')
      .map(({ id, status, what, hint }) => ({ id, status: status === 'broken' ? 'problem' : status, what, hint }));
  }

  async settings(): ReturnType<ServedProject['settings']> {
    return Object.fromEntries(
      SHOWN.flatMap((name) => (this.setup.settings[name] === undefined ? [] : [[name, this.setup.settings[name]]])),
    );
  }
}

function rolesOf({ definition, children }: CompiledWorkflow, seen = new Set<string>()): ReadonlySet<string> | 'any' {
  if (definition.form === 'flow') return 'any';
  seen.add(definition.name);
  const roles = referencesIn(definition).flatMap((reference) => (reference.kind === 'role' ? [reference.name] : []));
  const childRoles = [...children.values()].filter((child) => !seen.has(child.definition.name)).map((child) => rolesOf(child, seen));
  const sets = childRoles.flatMap((one) => (one === 'any' ? [] : [one]));
  return sets.length < childRoles.length ? 'any' : new Set([...roles, ...sets.flatMap((one) => [...one])]);
}

/** The settings that say nothing about secrets, programs or where files are. */
const SHOWN = ['limits', 'budgets', 'groups', 'decisions', 'protected', 'project'] as const;
