import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { watch } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LocalForgeStage, openLocalForgeStage } from '../../../test/forge/local-stage.ts';
import { openSample, valueIn } from '../../proof/forge-suite/stage.ts';

const FORGE = new URL('./local-forge.ts', import.meta.url).href;

let stage: LocalForgeStage;
let child: ChildProcess | undefined;

beforeEach(async () => {
  stage = await openLocalForgeStage();
});
afterEach(async () => {
  child?.kill('SIGKILL');
  await stage.close();
});

/** A program with the same forge open; `code` can use `forge`. */
function program(code: string): string {
  const options = JSON.stringify({ repository: stage.repository, state: stage.state });
  return `import { openLocalForge } from '${FORGE}'; const forge = await openLocalForge(${options}); ${code}`;
}

/** Such a program, running. */
function start(code: string, path = process.env.PATH ?? ''): ChildProcess {
  const args = ['--no-warnings', '--input-type=module', '--eval', program(code)];
  child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, PATH: path } });
  return child;
}

/** A PATH with a git that behaves differently at a chosen call; GIT stands for the call itself. */
function meddlingGit(call: string, moment: string): string {
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const folder = join(stage.folder, 'bin');
  mkdirSync(folder);
  const script = `#!/bin/sh\ncase "$*" in *'${call}'*) ${moment.replaceAll('GIT', `${real} "$@"`)}; exit;; esac\nexec ${real} "$@"\n`;
  writeFileSync(join(folder, 'git'), script, { mode: 0o755 });
  return `${folder}:${process.env.PATH}`;
}

test.each([
  ['before the branch is moved', 'update-ref refs/heads/main', 'kill -9 $PPID'],
  ['after the branch was moved', 'update-ref refs/heads/main', 'GIT; kill -9 $PPID'],
  ['while the branch is being moved', 'update-ref refs/heads/main', 'kill -9 $PPID; GIT'],
  ['after the commit was made', 'commit-tree', 'GIT; kill -9 $PPID'],
  ['after the branch was deleted', 'update-ref -d', 'GIT; kill -9 $PPID'],
])('a merge whose process was killed %s is made once when it is requested again', async (_when, call, moment) => {
  const { number, head } = await openSample(stage, 'topic');
  const request = { number, method: 'squash' as const, deleteBranch: true, expectedHead: head };
  const merging = start(`await forge.mergePullRequest(${JSON.stringify(request)}, 'merge');`, meddlingGit(call, moment));
  expect(await once(merging, 'exit')).toEqual([null, 'SIGKILL']);
  const { sha, branchDeleted } = valueIn(await stage.forge.mergePullRequest(request, 'merge'));
  expect(branchDeleted).toBe(true);
  expect((await stage.git('log', '--format=%s', 'main')).trim().split('\n')).toEqual(['Add topic (#1)', 'Change main']);
  expect((await stage.git('rev-parse', 'main')).trim()).toBe(sha);
  expect(await stage.read('topic', 'topic.txt')).toBeUndefined();
  expect(valueIn(await stage.forge.pullRequest(number)).state).toBe('merged');
});

test('an interrupted merge merges nothing if the head has moved since', async () => {
  const { number, head } = await openSample(stage, 'topic');
  const request = { number, method: 'squash' as const, deleteBranch: true, expectedHead: head };
  const merging = start(`await forge.mergePullRequest(${JSON.stringify(request)}, 'merge');`, meddlingGit('update-ref', 'kill -9 $PPID'));
  await once(merging, 'exit');
  const moved = await stage.commit('topic', { 'topic.txt': 'slipped in\n' });
  expect(await stage.forge.mergePullRequest(request, 'merge')).toMatchObject({ result: 'stale_head', head: moved });
  expect(await stage.read('main', 'topic.txt')).toBeUndefined();
});

test('FG2: a merge that another process finishes in the meantime counts, and is not rejected', async () => {
  const { number, head } = await openSample(stage, 'topic');
  const request = JSON.stringify({ number, method: 'squash', deleteBranch: true, expectedHead: head });
  const rival = join(stage.folder, 'rival.mjs');
  writeFileSync(rival, program(`await forge.mergePullRequest(${request}, 'merge'); await forge.close();`));
  const moment = `PATH='${process.env.PATH}' '${process.execPath}' --no-warnings '${rival}'; GIT`;
  const path = meddlingGit('refs/heads/topic^{commit}', moment);
  const late = start(`console.log(JSON.stringify(await forge.mergePullRequest(${request}, 'merge'))); await forge.close();`, path);
  const said: string[] = [];
  if (late.stdout === null) throw new Error('the process has no output');
  for await (const line of createInterface({ input: late.stdout })) said.push(line);
  const sha = (await stage.git('rev-parse', 'main')).trim();
  expect(said).toEqual([JSON.stringify({ result: 'ok', value: { sha, branchDeleted: true } })]);
});

test('a merge waits for one of another process that is updating the checkout of the base', async () => {
  const [one, two] = [await openSample(stage, 'one'), await openSample(stage, 'two')];
  const place = join(stage.folder, 'place');
  await stage.git('worktree', 'add', '--quiet', place, 'main');
  const request = JSON.stringify({ number: one.number, deleteBranch: false, expectedHead: one.head });
  const lock = (await stage.git('-C', place, 'rev-parse', '--path-format=absolute', '--git-path', 'index.lock')).trim();
  const path = meddlingGit('read-tree', `touch ${lock} ${stage.folder}/reached; sleep 2; rm ${lock}; GIT`);
  const slow = start(`process.stdout.write((await forge.mergePullRequest(${request}, 'm1')).result); await forge.close();`, path);
  const ended = once(slow, 'exit');
  for await (const { filename } of watch(stage.folder)) if (filename === 'reached') break;
  const answer = await stage.forge.mergePullRequest({ number: two.number, deleteBranch: false, expectedHead: two.head }, 'm2');
  expect([answer.result, await ended]).toEqual(['ok', [0, null]]);
  expect(['one.txt', 'two.txt'].map((file) => readFileSync(join(place, file), 'utf8'))).toEqual(['one\n', 'two\n']);
});

test.each([1, 7, 23])('comments of a process that was killed after %d of them exist once after all are requested again', async (killAt) => {
  const count = 60;
  const { number } = valueIn(await stage.forge.createIssue({ title: 'x', body: '', labels: [] }, 'issue'));
  const talking = start(`for (let n = 0; n < ${count}; n += 1) {
    const { value } = await forge.comment({ number: ${number}, body: 'n' + n }, 'c' + n);
    process.stdout.write(value.id + '\\n');
  }`);
  const told: string[] = [];
  if (talking.stdout === null) throw new Error('the process has no output');
  for await (const line of createInterface({ input: talking.stdout })) if (told.push(line) === killAt) talking.kill('SIGKILL');
  const ids = [];
  for (let n = 0; n < count; n += 1) ids.push(valueIn(await stage.forge.comment({ number, body: `n${n}` }, `c${n}`)).id);
  expect(ids.slice(0, told.length)).toEqual(told);
  const bodies = valueIn(await stage.forge.comments(number)).map(({ body }) => body);
  expect(bodies).toEqual(Array.from({ length: count }, (_, n) => `n${n}`));
});
