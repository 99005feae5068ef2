import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { git } from '../../test/git.ts';
import type { Forge } from '../forge/forge.ts';
import { openLocalForge } from '../forge/local-forge.ts';
import { valueIn } from '../proof/forge-stage.ts';
import { Workspaces } from './workspaces.ts';

let home: string;
let project: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-workspaces-')));
  project = join(home, 'project');
  git(home, 'init', '--quiet', '--initial-branch=main', project);
  commit('one');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function commit(name: string): void {
  writeFileSync(join(project, name), name);
  git(project, 'add', '.');
  git(project, 'commit', '--quiet', '-m', name);
}

const workspaces = (forge?: Forge): Workspaces => new Workspaces({ cwd: project, folder: join(home, 'worktrees'), forge });

test('a worktree that is just being removed is made again for the run that needs it', async () => {
  const places = workspaces();
  const folder = (await places.prepare({ id: 'run1', origin: { issue: 3 }, facts: {} })) as string;
  places.retire('run1');
  await places.restore(folder);
  await places.settled();
  expect(existsSync(join(folder, 'one'))).toBe(true);
});

test('a run about a pull request begins with its branch', async () => {
  git(project, 'checkout', '--quiet', '-b', 'feature');
  commit('two');
  git(project, 'checkout', '--quiet', 'main');
  const forge = await openLocalForge({ repository: project, state: join(home, 'forge.db') });
  const { number } = valueIn(await forge.openPullRequest({ title: 'two', body: '', head: 'feature', base: 'main' }, 'k'));
  const places = workspaces(forge);
  const about = (await places.prepare({ id: 'run1', origin: { pr: number }, facts: {} })) as string;
  const other = (await places.prepare({ id: 'run2', origin: { pr: 99 }, facts: {} })) as string;
  expect([existsSync(join(about, 'two')), existsSync(join(other, 'two'))]).toEqual([true, false]);
  await forge.close();
});
