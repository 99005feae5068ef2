// Owns the project of an attended session: its database, its trusted workflows, and an engine for each run, so that every run is
// driven with the definition it was started with, however long the session lasts.

import { existsSync } from 'node:fs';
import type { Engine } from '../../api/engine.ts';
import type { AnyWorkflow } from '../../api/engine-options.ts';
import type { RunningStep } from '../../attended/activity.ts';
import type { ProjectRun } from '../../attended/open-runs.ts';
import type { AttendedHost, OfferedWorkflow, StartRequest } from '../../attended/session.ts';
import type { DiscoveredWorkflow } from '../../authoring/discover/outline.ts';
import { isEngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { bindParams } from '../../definition/param/arg.ts';
import { isFinal } from '../../definition/run-status.ts';
import { lastTranscriptText, transcriptsOf } from '../../engine/transcript/transcripts.ts';
import { ATTENDED } from '../../steps/run-records.ts';
import type { Store } from '../../store/store.ts';
import { assignRun, bindRun, callingSession, changeSession, currentProcess, readSession } from '../agent-session.ts';
import { usageError } from '../command.ts';
import { discoverProject } from '../definitions.ts';
import { assertSettingsTrusted, openForge } from '../forge/session.ts';
import { loadDescription, loadWorkflow, loadWorkflowOf } from '../load.ts';
import { LoadedModules } from '../loaded-modules.ts';
import { openEngine } from '../open-engine.ts';
import { findRun, openForRun, openStore, type Setup } from '../session.ts';
import type { Shell } from '../shell.ts';
import { assertTrusted } from '../trust/trust.ts';
import { readProjectRuns } from './session-runs.ts';

/** A project whose runs an agent works on. */
export class ProjectHost implements AttendedHost {
  private readonly shell: Shell;
  private readonly setup: Setup;
  private store: Promise<Store> | undefined;
  private forge: ReturnType<typeof openForge> | undefined;
  private readonly engines = new Map<string, Promise<Engine>>();
  private readonly opened: Engine[] = [];
  private readonly modules = new LoadedModules('start the server again (in Claude Code: /mcp)');
  /** The parameters of workflows by file and digest. */
  private readonly params = new Map<string, OfferedWorkflow['params']>();
  /** The process of this server, which identifies the session if the agent passes no session id. */
  private readonly process = currentProcess();

  constructor(shell: Shell, setup: Setup) {
    this.shell = shell;
    this.setup = setup;
  }

  async find(prefix: string): Promise<string> {
    return findRun(await this.opening(() => openForRun(this.setup, prefix)), prefix, this.setup);
  }

  async existing(runs: readonly string[]): Promise<readonly string[]> {
    if (runs.length === 0 || !existsSync(this.setup.file)) return [];
    const store = await this.database();
    const found = await Promise.all(runs.map(async (run) => ((await store.resolve(run, 1)).length === 1 ? [run] : [])));
    return found.flat();
  }

  open(run: string): Promise<Engine> {
    const known = this.engines.get(run);
    if (known !== undefined) return known;
    const opening = this.load(run).then((workflows) => this.engine(workflows));
    this.engines.set(run, opening);
    // A failure is not cached: the file may be trusted at the next attempt.
    opening.catch(() => this.engines.delete(run));
    return opening;
  }

  private async load(run: string): Promise<readonly AnyWorkflow[]> {
    const frozen = await (await this.database()).load(run);
    if (isFinal(frozen.state.status)) return [];
    const loaded = await loadWorkflowOf(this.shell, this.setup.project, frozen);
    await this.modules.assertFresh(loaded.file);
    return [loaded.workflow];
  }

  async start({ workflow: name, params, id }: StartRequest): Promise<{ readonly engine: Engine; readonly run: string }> {
    if (/[\\/]/.test(name)) throw usageError(`"${name}" is a path; name a workflow of this project`);
    const { workflow, file } = await loadWorkflow(this.shell, this.setup.project, name);
    await this.modules.assertFresh(file);
    const { startDataOf } = await import('../trigger/start-data.ts');
    const facts = startDataOf(workflow.definition, { settings: this.setup.settings, trigger: undefined });
    bindParams(workflow.definition.params, params, `workflow "${name}"`);
    const engine = await this.engine([workflow]);
    const { id: run } = await engine.start(workflow, params, {
      origin: { file, actor: this.shell.actor },
      facts: { ...facts, ...ATTENDED.with(true) },
      ...omitUndefined({ id }),
    });
    this.engines.set(run, Promise.resolve(engine));
    return { engine, run };
  }

  async offers(): Promise<{ readonly workflows: readonly OfferedWorkflow[]; readonly untrusted: number }> {
    const { workflows } = await discoverProject(this.setup.project);
    const offered = await Promise.all(workflows.map((workflow) => this.offer(workflow)));
    const trusted = offered.filter((one) => one !== undefined);
    return { workflows: trusted, untrusted: workflows.length - trusted.length };
  }

  private async offer({ name, title, description, file }: DiscoveredWorkflow): Promise<OfferedWorkflow | undefined> {
    try {
      const { digest } = await assertTrusted(this.shell, this.setup.project, { file });
      const about = title === '' || title === name ? description : title;
      return { name, ...(about === '' ? {} : { about }), params: await this.paramsOf(file, digest) };
    } catch (error) {
      if (isEngineError(error) && error.code === 'NOT_TRUSTED') return undefined;
      throw error;
    }
  }

  /** The parameters of a workflow, loaded once per version; none if it cannot be loaded, which is reported when it is started. */
  private async paramsOf(file: string, digest: string): Promise<OfferedWorkflow['params']> {
    const key = `${file} ${digest}`;
    const known = this.params.get(key);
    if (known !== undefined) return known;
    const params = await loadDescription(this.shell, this.setup.project, file).then(
      ({ workflow }) => workflow.definition.params,
      () => ({}),
    );
    this.params.set(key, params);
    return params;
  }

  remember(run: string, how: 'started' | 'served'): void {
    bindRun(this.shell, { run, db: this.setup.file, ...(how === 'served' ? { taken: true } : {}) }, this.binding());
  }

  assign(run: string): void {
    assignRun(this.shell, { run, db: this.setup.file }, this.binding());
  }

  lastLine(step: RunningStep): string | undefined {
    return lastTranscriptText(transcriptsOf(this.setup.file), step);
  }

  async openRuns(): Promise<readonly ProjectRun[]> {
    if (!existsSync(this.setup.file)) return [];
    return readProjectRuns(this.shell, this.setup, { store: await this.database(), session: this.binding().session });
  }

  /** The session of the agent; without one, this server is a session. */
  private binding(): { readonly session: string; readonly process: string | undefined } {
    return { session: callingSession(this.shell) ?? `server ${this.process}`, process: this.process };
  }

  database(): Promise<Store> {
    return this.opening(() => openStore(this.setup));
  }

  /** A failure is not cached: the database may be adopted before the next attempt. */
  private opening(open: () => Promise<Store>): Promise<Store> {
    this.store ??= open().catch((error: unknown) => {
      this.store = undefined;
      throw error;
    });
    return this.store;
  }

  private async engine(workflows: readonly AnyWorkflow[]): Promise<Engine> {
    await assertSettingsTrusted(this.shell, this.setup);
    this.forge ??= openForge(this.shell, this.setup);
    const forge = await this.forge;
    const engine = await openEngine(this.shell, this.setup, { store: await this.database(), workflows, ...omitUndefined({ forge }) });
    this.opened.push(engine);
    return engine;
  }

  /** Waits for the steps that execute, or kills them with `abort`, and releases the runs. */
  async close(options: { readonly abort?: boolean } = {}): Promise<void> {
    const { session } = this.binding();
    const isServerSession = session.startsWith('server ') && readSession(this.shell, session).runs.length > 0;
    if (isServerSession) changeSession(this.shell, session, (now) => ({ ...now, runs: [] }));
    await Promise.all(this.opened.map((engine) => engine.close(options)));
    await (await this.forge)?.close();
    await (await this.store)?.close();
  }
}
