import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LocalForgeStage, openLocalForgeStage } from '../../test/forge/local-stage.ts';
import { commitAll, createRepository, git } from '../../test/git.ts';
import { tempFolder } from '../../test/temp-folder.ts';
import type { Forge } from '../forge/forge.ts';
import { openLocalForge } from '../forge/local/local-forge.ts';
import { openSample, valueIn } from '../proof/forge-suite/stage.ts';
import type { RunOrigin } from '../store/store.ts';
import { Workspaces } from './workspaces.ts';

let home: string;
let project: string;
beforeEach(() => {
  home = tempFolder();
  project = join(home, 'project');
  createRepository(project, { one: 'one' });
});

function commit(name: string, folder = project): void {
  writeFileSync(join(folder, name), name);
  commitAll(folder, name);
}

const workspaces = (forge?: Forge): Workspaces => new Workspaces({ cwd: project, folder: join(home, 'worktrees'), forge });

const pathOf = async (places: Workspaces, id: string, origin: RunOrigin): Promise<string> =>
  (await places.prepare({ id, origin, facts: {} }))?.workspace as string;

test('a worktree that is being removed is created again for the run that needs it', async () => {
  const places = workspaces();
  const folder = await pathOf(places, 'run1', { issue: 3 });
  places.retire('run1');
  await places.restore(folder);
  await places.settled();
  expect(existsSync(join(folder, 'one'))).toBe(true);
});

test('a run without commits leaves no branch; one with an open pull request keeps it', async () => {
  const forge = await openLocalForge({ repository: project, state: join(home, 'forge.db') });
  const places = workspaces(forge);
  await pathOf(places, 'run1', { issue: 3 });
  const folder = await pathOf(places, 'run2', { issue: 4 });
  commit('two', folder);
  valueIn(await forge.openPullRequest({ title: 'two', body: '', head: 'pawl/run2', base: 'main' }, 'k'));
  git(project, 'branch', 'other', 'pawl/run2');
  places.retire('run1');
  places.retire('run2');
  await places.settled();
  expect(git(project, 'branch', '--list', 'pawl/*').trim()).toBe('pawl/run2');
  await forge.close();
});

describe('a run about a pull request', () => {
  let stage: LocalForgeStage;
  beforeEach(async () => {
    stage = await openLocalForgeStage();
    git(home, 'clone', '--quiet', stage.repository, join(home, 'clone'));
  });
  afterEach(() => stage.close());
  const inClone = (forge: Forge | undefined = stage.forge): Workspaces =>
    new Workspaces({ cwd: join(home, 'clone'), folder: join(home, 'worktrees'), forge });

  test('works on its head, which the clone did not have, and pushes to its branch', async () => {
    const { number: pr, head: sha } = await openSample(stage, 'topic');
    const place = await inClone().prepare({ id: 'run1', origin: { pr }, facts: {} });
    expect(place?.head).toEqual({ local: 'pawl/run1', branch: 'topic', from: sha, pr });
    expect(git(place?.workspace as string, 'rev-parse', 'HEAD')).toBe(sha);
  });

  test('a run does not mistake a branch of the clone with the same name for the head', async () => {
    git(join(home, 'clone'), 'branch', 'topic');
    const { number: pr, head: sha } = await openSample(stage, 'topic');
    const folder = await pathOf(inClone(), 'run1', { pr });
    expect(git(folder, 'rev-parse', 'HEAD')).toBe(sha);
  });

  test('works on the head of a fork, and records that it is one', async () => {
    const { number: pr, head: sha } = await stage.openFromFork('topic');
    const place = await inClone().prepare({ id: 'run1', origin: { pr }, facts: {} });
    expect(place?.head).toEqual({ local: 'pawl/run1', branch: 'topic', from: sha, pr, fork: true });
    expect(existsSync(join(place?.workspace as string, 'topic.txt'))).toBe(true);
  });

  test.each<[string, () => Promise<readonly [Workspaces, RunOrigin]>, RegExp]>([
    ['that is not there', async () => [inClone(), { pr: 99 }], /no pull request #99/],
    ['whose branch is gone', async () => [inClone(), { pr: await orphan() }], /could not be fetched from refs\/heads\/topic/],
    [
      'without a forge to ask',
      async () => [new Workspaces({ cwd: join(home, 'clone'), folder: join(home, 'worktrees'), forge: undefined }), { pr: 1 }],
      /set "forge" in/,
    ],
    [
      'outside of a checkout',
      async () => [new Workspaces({ cwd: home, folder: join(home, 'worktrees'), forge: stage.forge }), { pr: 1 }],
      /is not a git checkout/,
    ],
  ])('%s is not started, and no worktree is made', async (_what, open, message) => {
    const [places, origin] = await open();
    const prepared = places.prepare({ id: 'run1', origin, facts: {} });
    await expect(prepared).rejects.toMatchObject({ code: 'WORKSPACE_FAILED', message: expect.stringMatching(message) });
    expect(existsSync(join(home, 'worktrees'))).toBe(false);
  });

  test('the pull request of an attended run must be checked out: the agent works where it was called', async () => {
    const { number: pr } = await openSample(stage, 'topic');
    const prepare = () => inClone().prepare({ id: 'run1', origin: { pr }, facts: { $attended: true } });
    await expect(prepare()).rejects.toMatchObject({ code: 'WORKSPACE_FAILED', message: expect.stringContaining('check out "topic"') });
    git(join(home, 'clone'), 'fetch', '--quiet');
    git(join(home, 'clone'), 'checkout', '--quiet', 'topic');
    expect(await prepare()).toBeUndefined();
  });

  async function orphan(): Promise<number> {
    const { number } = await openSample(stage, 'topic');
    await stage.git('update-ref', '-d', 'refs/heads/topic');
    return number;
  }
});
