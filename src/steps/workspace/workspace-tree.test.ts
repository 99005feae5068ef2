// Gates on a real repository of git and on a plain folder: a tree that moves under the checks leaves no verdict.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import type { CheckModel } from '../../definition/check.ts';
import { anyReadsFiles } from '../../definition/landing.ts';
import type { Definition } from '../../definition/model.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import { createAttemptRequest } from '../../proof/attempt-request.ts';
import type { AttemptResult } from '../attempt.ts';
import { createAttemptRunner } from '../runner.ts';
import type { StepServices } from '../services.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'pawl-tree-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

function put(path: string, text: string): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
}
const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd, encoding: 'utf8' });
const command = (script: string, rest: JsonObject = {}): JsonObject => ({ check: 'command', run: script, ...rest });

async function gate(
  checks: readonly JsonObject[],
  services: Partial<StepServices> = {},
  steps: readonly JsonObject[] = [],
): Promise<AttemptResult> {
  const request = createAttemptRequest({ kind: 'gate', config: { checks } });
  const models = steps.map((frame) => ({ ...request.bound.model, id: 'made', kind: 'agent' as const, config: {}, ...frame }));
  const definition = { ...request.workflow.definition, steps: [request.bound.model, ...models] } as Definition;
  return await createAttemptRunner(
    { cwd, now: () => 0, ...services },
    REGISTRY,
  )({ ...request, workflow: { ...request.workflow, definition } });
}

const moved = (path: string, what: string) => ({
  type: 'errored',
  error: { code: 'TREE_MOVED', reason: 'error', message: expect.stringContaining(`${path} (${what})`) },
  evidence: { moved: [{ path, what }] },
});

describe('in a repository', () => {
  beforeEach(() => {
    put('src/a.ts', 'one');
    put('.gitignore', 'dist/\n');
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '-m', 'first');
  });

  test.each<[string, string, string]>([
    ['a tracked file that changes', 'echo two > src/a.ts', 'src/a.ts changed'],
    ['a tracked file that goes', 'rm src/a.ts', 'src/a.ts deleted'],
    ['a file that git does not know yet', 'echo two > src/new.ts', 'src/new.ts changed'],
    ['a file that was changed before already', 'echo three > src/edited.ts', 'src/edited.ts changed'],
    ['a name with a tab in it', "printf x > 'a\tb'", 'a\tb changed'],
    ['a file that is written again as it was', 'printf one > src/a.ts', 'src/a.ts rewritten'],
    ['a file that is replaced by its like', 'printf one > b; mv b src/a.ts', 'src/a.ts rewritten'],
    ['a file that git was told to overlook', 'git update-index --assume-unchanged src/a.ts; echo two > src/a.ts', 'src/a.ts changed'],
    ['a change that is committed at once', 'echo two > src/a.ts; git add src; git commit --quiet -m second', 'src/a.ts changed'],
  ])('%s leaves a passing gate without a verdict', async (_what, script, move) => {
    const [path = '', what = ''] = move.split(' ');
    put('src/edited.ts', 'one');
    git('add', '.');
    git('commit', '--quiet', '-m', 'more');
    git('config', 'user.name', 'a');
    git('config', 'user.email', 'a@b');
    put('src/edited.ts', 'two');
    put('a\tb', '');
    put('src/new.ts', 'one');
    expect(await gate([command(script)])).toMatchObject({ ...moved(path, what), checks: [{ passed: true }] });
  });

  test('a failing gate has no verdict either', async () => {
    expect(await gate([command('false'), command('echo two > src/a.ts')])).toMatchObject(moved('src/a.ts', 'changed'));
  });

  test.each<[string, JsonObject]>([
    ['nothing moves', command('cat src/a.ts')],
    ['a new file appears', command('echo x > report.txt')],
    ['what git ignores changes', command('echo x > dist/index.js')],
    ['packages change that git was not told to ignore', command('echo x > node_modules/p/index.js')],
    [
      'the report of the check changes',
      command('echo "<testsuite/>" > reports/junit.xml', { report: './reports/junit.xml', tests: 'optional' }),
    ],
    [
      'the report of a check inside of another changes',
      { check: 'any_of', checks: [command('echo x > r.txt', { report: 'r.txt' }), command('true')] },
    ],
  ])('a gate keeps its verdict when %s', async (_what, check) => {
    put('dist/index.js', '1');
    put('node_modules/p/index.js', '1');
    put('reports/junit.xml', '1');
    put('r.txt', '1');
    expect(await gate([check])).not.toMatchObject({ error: { code: 'TREE_MOVED' } });
  });

  test('the usual reports of coverage may change where the gate asks for coverage', async () => {
    put('coverage.xml', '1');
    const coverage = { check: 'coverage', minimum: '1%' };
    const report =
      '<coverage><packages><package><classes><class filename="a.ts"><lines><line number="1" hits="1"/></lines></class></classes></package></packages></coverage>';
    expect(await gate([command(`echo '${report}' > coverage.xml`), coverage])).toMatchObject({ type: 'settled', outcome: 'ok' });
    expect(await gate([command('echo 2 > coverage.xml')])).toMatchObject(moved('coverage.xml', 'changed'));
  });
});

test('gates read files unless none of their checks does', () => {
  const webhook = { check: 'webhook', url: 'https://example.com' } as const;
  const own = { check: 'own' } as unknown as CheckModel;
  const elsewhere: CheckModel[] = [
    { check: 'pr_approval', from: 'maintainers' },
    { check: 'any_of', checks: [{ check: 'ci_status' }, webhook] },
  ];
  expect(anyReadsFiles(REGISTRY, elsewhere)).toBe(false);
  expect(anyReadsFiles(REGISTRY, [...elsewhere, { check: 'any_of', checks: [webhook, own] }])).toBe(true);
});

describe('in a plain folder', () => {
  const rewrite = command('echo two > src/a.ts; echo two > notes.txt');

  test('only what the workflow names counts: declared outputs and protected paths', async () => {
    put('src/a.ts', 'one');
    put('notes.txt', 'one');
    expect(await gate([rewrite])).toMatchObject({ type: 'settled', outcome: 'ok' });
    put('src/a.ts', 'one');
    const outputs = [{ name: 'code', type: 'file', pattern: 'src/**', required: true }];
    expect(await gate([rewrite], {}, [{ outputs }])).toMatchObject(moved('src/a.ts', 'changed'));
    put('notes.txt', 'one');
    expect(await gate([rewrite], { protected: ['*.txt'] })).toMatchObject(moved('notes.txt', 'changed'));
  });
});
