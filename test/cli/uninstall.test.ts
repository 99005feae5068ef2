// `pawl uninstall`: what it lists is what it removes, and no hook, server, worktree or completion script is left behind.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRepository, git } from '../git.ts';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
  // Not the home folder of whoever runs the tests.
  rig.settings.HOME = join(rig.folder, 'home');
});
afterEach(() => rig.close());

interface Report {
  readonly items?: readonly { readonly path: string }[];
  readonly removed?: readonly { readonly path: string }[];
  readonly kept: readonly { readonly path: string; readonly why: string }[];
}

const inProject = (path: string): string => join(rig.project, path);
const SETTINGS = { permissions: { allow: ['Bash(ls)'] }, hooks: { Stop: [{ hooks: [{ type: 'command', command: 'say done' }] }] } };

async function setUp(): Promise<void> {
  expect((await rig.run(['init', 'notes', '--js'])).code).toBe(0);
  expect((await rig.run(['init', '--claude', '--codex', '--gemini', '--opencode'])).code).toBe(0);
  expect((await rig.run(['run', 'notes'])).code).not.toBe(2);
}

test('uninstall removes what init and runs wrote, and no file of a person', async () => {
  await setUp();
  rig.write(
    '.pawl/workflows/mine.yaml',
    'apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: mine }\nstages: [{ id: a, type: command, run: "true" }]\n',
  );
  const completion = join(rig.env().HOME ?? '', '.zfunc', '_pawl');
  mkdirSync(join(completion, '..'), { recursive: true });
  writeFileSync(completion, (await rig.run(['completion', 'zsh'])).stdout);
  const { hooks } = JSON.parse(readFileSync(inProject('.claude/settings.json'), 'utf8')) as { hooks: { Stop: unknown[] } };
  writeFileSync(
    inProject('.claude/settings.json'),
    JSON.stringify({ ...SETTINGS, hooks: { Stop: [...SETTINGS.hooks.Stop, ...hooks.Stop] } }),
  );

  const { stdout } = await rig.run(['uninstall', '--dry-run']);
  expect(stdout).toContain('edit    .claude/settings.json  without the hooks "pawl hook"\n');
  expect(stdout).toContain('remove  .mcp.json  the MCP server "pawl"\n');
  const plan = await rig.json<Report>(['uninstall', '--dry-run']);
  const before = plan.items?.map(({ path }) => path) ?? [];
  expect(before).toEqual(expect.arrayContaining(['.mcp.json', '.claude/settings.json', '.pawl/workflows/notes.js'].map(inProject)));
  expect(before.every((path) => existsSync(path))).toBe(true);

  const done = await rig.json<Report>(['uninstall', '--yes']);
  expect(done.removed?.map(({ path }) => path)).toEqual(before);
  expect(before.filter((path) => existsSync(path))).toEqual([inProject('.claude/settings.json')]);
  expect(JSON.parse(readFileSync(inProject('.claude/settings.json'), 'utf8'))).toEqual(SETTINGS);
  expect(existsSync(completion)).toBe(false);
  expect(done.kept.map(({ path }) => path)).toEqual(expect.arrayContaining([inProject('.pawl/workflows/mine.yaml'), rig.state]));
  expect(existsSync(inProject('.mcp.json'))).toBe(false);
});

test('uninstall removes the refs that keep snapshots of runs in the repository', async () => {
  createRepository(rig.project, { text: 'one\n' });
  rig.write(
    '.pawl/workflows/w.yaml',
    'apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: w }\nstages: [{ id: a, type: command, run: "echo two >> text" }]\n',
  );
  await rig.run(['trust', '--folder', '--yes']);
  expect((await rig.run(['run', 'w'])).code).toBe(0);
  const refs = (): string => git(rig.project, 'for-each-ref', '--format=%(refname)', 'refs/pawl');
  expect(refs()).toMatch(/^refs\/pawl\/snapshots\/\S+$/);
  expect((await rig.run(['uninstall', '--dry-run'])).stdout).toContain('the snapshots of runs, with their refs in git');
  expect((await rig.run(['uninstall', '--yes'])).code).toBe(0);
  expect(refs()).toBe('');
});

test('uninstall --user leaves nothing, and without a person it removes nothing', async () => {
  createRepository(rig.project, { 'README.md': 'a project' });
  await setUp();
  const asAgent = { env: { PAWL_TOKEN: '', CLAUDECODE: '1' } };
  const refused = await rig.run(['uninstall', '--user', '--yes'], asAgent);
  expect([refused.code, existsSync(rig.state)]).toEqual([4, true]);
  expect((await rig.run(['uninstall', '--user'])).code).toBe(2);
  expect((await rig.run(['uninstall', '--user', '--yes'])).code).toBe(0);
  expect([
    existsSync(rig.state),
    existsSync(inProject('.pawl')),
    existsSync(inProject('.claude')),
    existsSync(inProject('.mcp.json')),
  ]).toEqual([false, false, false, false]);
  expect(execFileSync('git', ['status', '--short'], { cwd: rig.project, encoding: 'utf8' })).toBe('?? NOTES.md\n');
});
