// `pawl actions run`: one job of GitHub Actions in place of a server. It restores the state, handles the event, drives the runs and
// saves the state.

import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseDuration } from '../../base/duration.ts';
import { EngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import type { GitHubForgeOptions } from '../../forge/github/github-forge.ts';
import type { GitHubAuth } from '../../forge/github/login.ts';
import { relayForge } from '../../forge/relay.ts';
import { openDeliveries } from '../../server/events/events.ts';
import { openSurface } from '../../server/surface/part.ts';
import { openPeople, PEOPLE_TABLES } from '../../server/triggers/people.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import type { RunSummary } from '../../store/store.ts';
import { assertDefaultBranch, deliveryOf, isReadOnly, type Job, readJob } from '../actions/job.ts';
import { HOLD_MS, SavedState } from '../actions/saved-state.ts';
import { processJob, waitForDeadOwners } from '../actions/work.ts';
import { type CommandRun, type ParsedArgs, usageError } from '../command.ts';
import { openGitHub } from '../forge/session.ts';
import { catchInterrupts } from '../interrupt.ts';
import { openEventServices } from '../serve/project-events.ts';
import { closing, findSetup, openStore, type Setup } from '../session.ts';
import type { ForgeSettings } from '../settings/forge.ts';
import { Shell } from '../shell.ts';
import { ensureStateId } from '../store-origin.ts';
import { trustFolder } from '../trust/trust-list.ts';

type GitHubSettings = Extract<ForgeSettings, { kind: 'github' }>;

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  if (args.word('ACTION') !== 'run') throw usageError(`unknown action "${args.word('ACTION')}"; there is "pawl actions run"`);
  const job = readJob(shell);
  if (isReadOnly(job, shell))
    return shell.result({ job: job.id, skipped: 'read-only', runs: [] }, () => [
      'This event is about a pull request from a fork: the job has no secrets and may only read, so nothing was started.',
      'A maintainer can add the label "workflow:NAME" to the pull request.',
    ]);
  const folder = resolve(args.option('state') ?? join(tmpdir(), 'pawl-actions', ...job.repository.split('/')));
  const holdMs = args.option('hold') === undefined ? HOLD_MS : parseDuration(args.option('hold') as string, '--hold');
  const inside = shellWithState(shell, args, folder);
  const setup = await findSetup(inside, inside.args);
  const forge = forgeOf(setup, job);
  const auth = authOf(shell, forge);
  const login = { ...omitUndefined({ auth }), ledger: join(tmpdir(), `pawl-transport-${process.pid}.db`) };
  return closing(await openGitHub(setup, forge, login), async (transport) => {
    await assertDefaultBranch(transport, setup.project.root);
    const state = await SavedState.acquire({
      ...{ forge: transport, checkout: setup.project.root, folder, job: `${job.id}/${shell.env.GITHUB_RUN_ATTEMPT ?? '1'}` },
      ...{ holdMs, now: Date.now, warn: (text: string) => shell.warn(text) },
    });
    // The maintainers agreed on the default branch; the trust lasts only for this job.
    trustFolder(inside, setup.project.root);
    const runs = await work(inside, { setup, forge, state, job, saveMs: holdMs / 3, options: omitUndefined({ auth }) });
    await state.release();
    return report(shell, job, runs);
  });
};

function shellWithState(shell: Shell, args: ParsedArgs, folder: string): Shell {
  const env = { ...shell.env, PAWL_STATE: join(folder, 'home'), PAWL_DB: join(folder, 'runs.db') };
  return new Shell({ ...shell.context, env }, args);
}

function forgeOf({ settings: { forge }, project }: Setup, { repository }: Job): GitHubSettings {
  if (forge?.kind !== 'github')
    throw new EngineError(
      'CONFIG_INVALID',
      `no repository at GitHub is set for ${project.root}; add "forge: { kind: github, repository: ${repository} }" to .pawl/config.yaml`,
    );
  if (forge.repository.toLowerCase() === repository.toLowerCase()) return forge;
  throw new EngineError(
    'CONFIG_INVALID',
    `this job belongs to ${repository}, and .pawl/config.yaml is about ${forge.repository}; set "forge.repository" to ${repository}`,
  );
}

/** The token of the job, unless the settings name a login. */
function authOf({ env }: Shell, { auth = 'gh' }: GitHubSettings): GitHubAuth | undefined {
  const token = env.GITHUB_TOKEN ?? env.GH_TOKEN;
  if (auth !== 'gh') return undefined;
  if (token !== undefined && token !== '') return { kind: 'token', token, bot: 'github-actions[bot]' };
  throw new EngineError(
    'CONFIG_INVALID',
    'GITHUB_TOKEN is not set; give it to the step under "env", as "pawl init --github-actions" writes it, or set "forge.auth"',
  );
}

/** Writes at GitHub that have the same effect when repeated. */
const REPEATABLE: ReadonlySet<string> = new Set(['editComment', 'setCheck', 'react']);

interface Work {
  readonly setup: Setup;
  readonly forge: GitHubSettings;
  readonly state: SavedState;
  readonly job: Job;
  readonly saveMs: number;
  readonly options: Partial<GitHubForgeOptions>;
}

async function work(shell: Shell, { setup, forge, state, job, saveMs, options }: Work): Promise<RunSummary[]> {
  const beforeWrite = ({ name }: { readonly name: string }): Promise<void> => (REPEATABLE.has(name) ? state.hold() : state.save());
  const opened = await openGitHub(setup, forge, { ...options, beforeWrite });
  await adoptRestored(setup);
  const events = { source: opened, relay: relayForge(opened) };
  const services = await openEventServices(shell, setup, { forge: events, drives: 'all', more: [PEOPLE_TABLES] });
  const interrupt = catchInterrupts(services.engine, (text) => shell.warn(text));
  const deliveries = openDeliveries(services);
  // There are no pages that show a run, only its comment at GitHub.
  const surface = openSurface(services, deliveries, () => undefined);
  const people = openPeople(services);
  try {
    return await processJob({ services, deliveries, forge: opened, state, saveMs, surface, people }, deliveryOf(job, Date.now()));
  } finally {
    await surface?.close();
    await people?.close();
    await deliveries.close();
    await services.close();
    interrupt.release();
  }
}

/** Adopts the restored database so that its runs continue, once no process works on them. The state is held, so no other copy is in use. */
async function adoptRestored(setup: Setup): Promise<void> {
  if (!existsSync(setup.file)) return;
  const { problems } = await closing(await openStore(setup, 'read'), (store) => store.check());
  const [first] = problems.filter(({ what }) => !what.includes('chmod go='));
  if (first !== undefined) throw new EngineError('STORE_DAMAGED', `the saved state is damaged: ${first.what}; nothing was run`);
  const origin = setup.state === undefined ? {} : { origin: ensureStateId(setup.state) };
  await closing(await openSqliteStore({ file: setup.file, adopt: true, ...origin }), waitForDeadOwners);
}

function report(shell: Shell, { id }: Job, runs: readonly RunSummary[]): number {
  const rows = runs.map(({ id: run, workflow, status }) => ({ run, workflow, status }));
  return shell.list({ job: id, runs: rows }, rows, {
    none: 'Nothing is open.',
    lines: ({ run, workflow, status }) => `${run}  ${workflow}  ${status}; it continues with the next event`,
  });
}
