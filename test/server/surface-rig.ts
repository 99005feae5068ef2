// Owns the stage of the tests about comments, checks and commands at the forge: a local forge, a server, and a run that
// asks.

import { join } from 'node:path';
import { expect } from 'vitest';
import type { AnyWorkflow, EngineOptions } from '../../src/api/engine-options.ts';
import { compiledOf } from '../../src/api/workflow-source.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { defineWorkflow } from '../../src/compat/index.ts';
import type { Forge, ForgeComment } from '../../src/forge/forge.ts';
import { type LocalForge, openLocalForge } from '../../src/forge/local/local-forge.ts';
import { EDIT_MS, RunSurface } from '../../src/server/surface/run/surface.ts';
import type { SurfaceSettings } from '../../src/server/surface/surface-settings.ts';
import { git } from '../git.ts';
import { EventRig, type Opened } from './event-rig.ts';

/** Asks whether a text is shipped; the output of the step before it contains hostile text. */
export const RELEASE = defineWorkflow({
  name: 'release',
  title: 'Release it',
  steps: [
    {
      id: 'draft',
      handler: () => ({ text: '<!-- hidden --> @ann closes #1 | `x` ![i](https://evil.example)\n\n/pawl approve\n\u202Eevil' }),
      next: 'ask',
    },
    {
      id: 'ask',
      human: {
        prompt: 'Ship it, @everyone? <script> | cell',
        context: ['text'],
        options: [
          { label: 'yes', nextStep: 'done' },
          { label: 'no', nextStep: 'draft', requiresInput: true },
        ],
      },
    },
    { id: 'done', handler: () => null, next: null },
  ],
});

const ALL: SurfaceSettings = { comments: true, checks: true, commands: true, selfApproval: false };

/** Options of a server. */
export interface OpenOptions {
  readonly workflows?: readonly AnyWorkflow[];
  readonly forge?: Forge;
  readonly publicUrl?: string;
  readonly engine?: Partial<EngineOptions>;
}

/** The stage. */
export class SurfaceRig {
  readonly rig = new EventRig();
  forge!: LocalForge;
  /** The time at the forge; each use is a second later. */
  private time = Date.UTC(2026, 0, 1);
  private readonly people = new Map<string, LocalForge>();
  opened!: Opened;

  async begin(): Promise<void> {
    git(this.rig.folder, 'init', '--quiet', '--initial-branch=main', 'repository');
    git(this.folder, '-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '--quiet', '--allow-empty', '-m', 'first');
    this.forge = await this.as('pawl');
    await this.forge.createIssue({ title: 'Search', body: '', labels: [] }, 'issue');
  }

  get folder(): string {
    return join(this.rig.folder, 'repository');
  }

  /** The forge as this person uses it. */
  async as(actor: string): Promise<LocalForge> {
    const now = (): number => {
      this.time += 1000;
      return this.time;
    };
    const known =
      this.people.get(actor) ?? (await openLocalForge({ repository: this.folder, state: join(this.rig.folder, 'forge.db'), actor, now }));
    this.people.set(actor, known);
    return known;
  }

  async open(
    surface: Partial<SurfaceSettings> = {},
    { workflows = [RELEASE], forge = this.forge, ...options }: OpenOptions = {},
  ): Promise<Opened> {
    const events = { forge: { forge, surface: { ...ALL, ...surface } } };
    this.opened = await this.rig.open({ workflows, events, ...options });
    return this.opened;
  }

  /** Starts a run for the issue. */
  start(workflow: AnyWorkflow = RELEASE, facts: JsonObject = {}) {
    return this.opened.engine.start(compiledOf(workflow), {} as never, { origin: { issue: 1 }, facts });
  }

  /** Starts a run and waits until its comment shows the question. */
  async ask(origin: { readonly issue?: number; readonly pr?: number } = { issue: 1 }, workflow: AnyWorkflow = RELEASE) {
    const run = await this.opened.engine.start(compiledOf(workflow), {} as never, { origin });
    const number = origin.pr ?? origin.issue ?? 0;
    await this.shows(`approve ${run.id}`, number);
    return run;
  }

  async comments(number = 1): Promise<readonly ForgeComment[]> {
    const found = await this.forge.comments(number);
    return found.result === 'ok' ? found.value : [];
  }

  /** Commits something on a branch and opens its pull request as this person. */
  async pullRequest(author: string, branch = 'topic'): Promise<number> {
    this.commit(branch);
    const made = await (await this.as(author)).openPullRequest({ title: branch, body: '', head: branch, base: 'main' }, `pr/${branch}`);
    return made.result === 'ok' ? made.value.number : 0;
  }

  /** Commits on a branch, as a push does. */
  commit(branch: string): string {
    const tree = git(this.folder, 'mktree', '--missing').trim();
    const parent = git(this.folder, 'rev-parse', '--verify', '--quiet', 'main').trim();
    const args = ['-c', 'user.name=x', '-c', 'user.email=x@x', 'commit-tree', tree, '-p', parent, '-m', `${branch} ${this.time}`];
    const sha = git(this.folder, ...args).trim();
    git(this.folder, 'update-ref', `refs/heads/${branch}`, sha);
    this.time += 1000;
    return sha;
  }

  /** A person comments; returns the result of the delivery, the reactions, and the answers. */
  async say(body: string, { by = 'ann', number = 1, edit }: { by?: string; number?: number; edit?: string } = {}) {
    const before = await this.comments(number);
    const person = await this.as(by);
    const written = await person.comment({ number, body }, `say/${this.time}`);
    const id = written.result === 'ok' ? written.value.id : '';
    if (edit !== undefined) await person.editComment({ id, body: edit }, `edit/${this.time}`);
    const delivery = await this.deliveryOf(id);
    const reactions = this.forge.control.reactions(id).map(({ reaction }) => reaction);
    const known = new Set([...before.map((one) => one.id), id]);
    const answers = (await this.comments(number)).filter((one) => !known.has(one.id)).map((one) => one.body);
    return { status: delivery.status, reason: delivery.reason ?? '', reactions, answers };
  }

  private async deliveryOf(comment: string): Promise<{ readonly status: string; readonly reason: string | null }> {
    const read = () =>
      this.opened.server.services.database.get(
        "SELECT status, reason FROM deliveries WHERE event = 'issue_comment.created' AND json_extract(body, '$.comment') = ?",
        comment,
      ) as { readonly status: string; readonly reason: string | null } | undefined;
    await expect.poll(() => read()?.status ?? 'received', { timeout: 20_000 }).not.toBe('received');
    return read() as { readonly status: string; readonly reason: string | null };
  }

  /** Waits until a comment shows a text; time passes meanwhile, so that comments may change. */
  async shows(text: string, number = 1): Promise<void> {
    const bodies = async (): Promise<string> => {
      const found = (await this.comments(number)).map(({ body }) => body).join('\n----\n');
      if (!found.includes(text)) this.tick();
      return found;
    };
    await expect.poll(bodies, { timeout: 20_000 }).toContain(text);
  }

  /** Why the comment of a run could not be written, as the server noted it. */
  problemOf(run: string): unknown {
    return this.opened.server.services.database.get('SELECT problem FROM run_comments WHERE run = ?', run)?.problem;
  }

  /** Waits until an update of the surface has ended, in addition to those of the server. */
  async settled(): Promise<void> {
    const { engine, server } = this.opened;
    const { forge, surface: settings } = server.services.events.forge ?? {};
    if (forge === undefined || settings === undefined) throw new Error('the server shows nothing at a forge');
    const { database, warn } = server.services;
    const surface = new RunSurface({ forge, settings, store: engine.store, database, clock: this.rig.clock, link: () => undefined, warn });
    await surface.ring();
    await surface.close();
  }

  /** Lets enough time pass for the next change of a comment. */
  tick(): void {
    this.rig.clock.advance(EDIT_MS);
  }

  async end(): Promise<void> {
    await this.rig.close();
    for (const forge of this.people.values()) await forge.close();
  }
}
