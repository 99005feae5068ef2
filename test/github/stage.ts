// Owns the stage on which the forge `github` passes the contract suite: the GitHub of the tests with a repository, and
// its people.

import { appendFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GitHubForge, type GitHubForgeOptions, openGitHubForge } from '../../src/forge/github/github-forge.ts';
import type { GitHubAuth } from '../../src/forge/github/login.ts';
import { removeFolder } from '../../src/process/remove-folder.ts';
import type { ForgeStage } from '../../src/proof/forge-suite/stage.ts';
import { openStageRepository, type StageRepository } from '../forge/repository.ts';
import { setCheck } from './check-handlers.ts';
import { addReview } from './pull-handlers.ts';
import { type GitHubServer, startGitHub, TOKEN } from './server.ts';
import { type Item, NAME, OWNER, type Pull, stamp } from './state.ts';

/** The stage. */
export interface GitHubStage extends ForgeStage {
  readonly forge: GitHubForge;
  reopen(options?: Partial<GitHubForgeOptions>): Promise<GitHubForge>;
  readonly hub: GitHubServer;
  readonly repository: StageRepository;
  readonly folder: string;
  readonly options: GitHubForgeOptions;
}

const STATES = { approved: 'APPROVED', changes_requested: 'CHANGES_REQUESTED' } as const;

/** Opens a GitHub with an empty repository. */
export async function openGitHubStage(auth: GitHubAuth = { kind: 'token', token: TOKEN }): Promise<GitHubStage> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-github-'));
  const place = join(folder, OWNER, `${NAME}.git`);
  const repository = await openStageRepository(place, Date.now);
  await appendFile(join(place, 'config'), '[http]\n\treceivepack = true\n');
  const hub = await startGitHub(place);
  const opened: GitHubForge[] = [];
  const options: GitHubForgeOptions = {
    ...{ repository: `${OWNER}/${NAME}`, baseUrl: hub.url, auth, ledger: join(folder, 'ledger.db') },
    ...{ throttle: false, retryMs: 1, pollMs: 30 },
  };
  const reopen = async (more: Partial<GitHubForgeOptions> = {}): Promise<GitHubForge> => {
    const forge = await openGitHubForge({ ...options, ...more });
    opened.push(forge);
    return forge;
  };
  return {
    ...{ forge: await reopen(), reopen, hub, repository, folder, options },
    ...{ commit: repository.commit, read: repository.read, clone: repository.clone },
    ...peopleOf(hub, repository),
    close: async () => {
      for (const forge of opened) await forge.close();
      await hub.close();
      await removeFolder(folder);
      if (hub.violations.length > 0) throw new Error(`not as GitHub describes it:\n${hub.violations.join('\n')}`);
    },
  };
}

type People = Pick<
  ForgeStage,
  'reactions' | 'review' | 'check' | 'comment' | 'account' | 'team' | 'assign' | 'requireChecks' | 'discussion' | 'limit' | 'openFromFork'
>;

function peopleOf(hub: GitHubServer, repository: StageRepository): People {
  const { state } = hub;
  const item = (number: number): Item & { readonly pull: Pull } => {
    const found = state.items.get(number);
    if (found === undefined) throw new Error(`there is no #${number}`);
    return found as Item & { readonly pull: Pull };
  };
  return {
    review: async (pr, user, said) => {
      await state.refresh();
      addReview(state, item(pr), { user, word: STATES[said], body: '' });
    },
    check: async (branch, { name, workflow, status, conclusion }) => {
      const sha = state.headOf(branch) ?? branch;
      const suite = workflow === undefined ? 0 : state.id();
      if (workflow !== undefined) state.workflowRuns.push({ suite, name: workflow, sha });
      setCheck(state, { sha, name, app: workflow === undefined ? 'other-ci' : 'github-actions', suite, status, conclusion });
    },
    comment: async (number, user, body) => {
      const at = stamp();
      const made = { id: state.id(), number, user, body, createdAt: at, updatedAt: at };
      state.comments.push(made);
      state.touch(item(number));
      return String(made.id);
    },
    reactions: async (id) =>
      state.reactions.filter(({ comment }) => comment === Number(id)).map(({ user, content }) => ({ actor: user, reaction: content })),
    account: async (login, { permission = 'write', bot = false }) => void state.accounts.set(login.toLowerCase(), { permission, bot }),
    team: async (name, people) => void state.teams.set(name, [...people]),
    assign: async (number, { people = [], milestone }) => {
      const found = item(number);
      found.assignees = [...found.assignees, ...people];
      if (milestone !== undefined) found.milestone = milestone;
      for (const _ of people) state.record(found, 'assigned', { actor: 'ann' });
    },
    requireChecks: async (branch, names) => void state.required.set(branch, [...names]),
    discussion: async (title) => state.addDiscussion(title).number,
    limit: async (until) => {
      hub.limitedUntil = until;
    },
    openFromFork: async (branch) => {
      const { folder, head } = await repository.fork(branch);
      await repository.git('fetch', '--quiet', folder, head);
      const baseSha = state.headOf('main') ?? '';
      const pull = {
        head: branch,
        base: 'main',
        headSha: head,
        baseSha,
        from: 'carol',
        draft: false,
        mergeSha: null,
        merged: false,
        reviewers: [],
      };
      const { number } = state.add({ title: `Add ${branch}`, body: '', user: 'carol', pull });
      await state.git.setRef(`refs/pull/${number}/head`, head);
      return { number, head };
    },
  };
}
