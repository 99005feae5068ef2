// Declared outputs against real files and a real forge: what was not seen was not produced, whatever the worker says.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LocalForgeStage, openLocalForgeStage } from '../../../test/forge/local-stage.ts';
import type { AgentDriver, AgentRequest } from '../../agents/driver.ts';
import { createScriptedDriver, type ScriptedMove } from '../../agents/scripted.ts';
import { digestText } from '../../base/digest.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { OutputModel } from '../../definition/model.ts';
import type { LocalForge } from '../../forge/local/local-forge.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import { type AttemptFields, createAttemptRequest } from '../../proof/attempt-request.ts';
import { type StageClone, valueIn } from '../../proof/forge-suite/stage.ts';
import type { AttemptRunner } from '../attempt.ts';
import { createAttemptRunner } from '../runner.ts';
import type { StepServices } from '../services.ts';

let cwd: string;
let asked: AgentRequest[];
let moves: readonly ScriptedMove[];
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'pawl-outputs-'));
  asked = [];
});
afterEach(() => rmSync(cwd, { recursive: true }));

const write = (path: string, text: string): ScriptedMove => ({ do: 'write', path, text });
const answer = (output: Json): ScriptedMove => ({ do: 'answer', output });
function put(path: string, text: string): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
}

function createRunner(services: Partial<StepServices> = {}): AttemptRunner {
  const driver = createScriptedDriver((request) => {
    asked.push(request);
    return moves;
  });
  const roles = { dev: { driver: 'scripted' } };
  return asHost(createAttemptRunner({ cwd, roles, drivers: { scripted: driver }, now: Date.now, ...services }, REGISTRY));
}

/** What was found before the work joins the run's data, as a host does it. */
function asHost(runner: AttemptRunner): AttemptRunner {
  const data = new Map<string, JsonObject>();
  return async (request) => {
    const known = async () => {
      const snapshot = await request.snapshot();
      return { ...snapshot, data: { ...snapshot.data, ...data.get(request.runId) } };
    };
    const ready = await runner({ ...request, want: 'prepare', snapshot: known });
    if (ready.type === 'ready' && ready.found !== undefined) data.set(request.runId, { ...data.get(request.runId), ...ready.found });
    return runner({ ...request, snapshot: known });
  };
}

function attempt(outputs: readonly JsonObject[], fields: Partial<AttemptFields> = {}) {
  const model = { outputs: outputs as unknown as readonly OutputModel[], ...fields.model };
  return createAttemptRequest({ kind: 'agent', config: { role: 'dev' }, ...fields, model });
}

describe('file outputs', () => {
  const code = { name: 'code', type: 'file', pattern: 'src/**/*.py', required: true };
  const tests = { name: 'tests', type: 'file', pattern: 'tests/**', required: false };

  test('a file output is the sorted list of paths that were changed or added', async () => {
    put('src/kept.py', 'same');
    put('src/old.py', 'before');
    moves = [write('src/old.py', 'after'), write('src/kept.py', 'same'), write('src/a/new.py', ''), write('README.md', ''), answer('done')];
    const result = await createRunner()(attempt([code, tests]));
    expect(result).toMatchObject({ type: 'settled', outcome: 'ok', claim: { output: 'done' } });
    expect(result).toHaveProperty('output', { code: ['src/a/new.py', 'src/old.py'], tests: [] });
    expect(result).toHaveProperty('evidence.outputs', [
      { name: 'code', type: 'file', passed: true, seen: '2 files changed or added: src/a/new.py, src/old.py' },
      { name: 'tests', type: 'file', passed: true, seen: 'no file matches "tests/**"' },
    ]);
  });

  test('a file output that is required and did not change breaks the contract, and the evidence has the observation', async () => {
    put('src/a.py', '1');
    put('src/b.py', '2');
    moves = [answer({ code: ['src/a.py'], note: 'all done' })];
    const result = await createRunner()(attempt([code]));
    const seen = '2 files match "src/**/*.py", and none changed since before the step';
    expect(result).toMatchObject({
      type: 'errored',
      error: {
        code: 'POSTCONDITION_FAILED',
        reason: 'contract',
        message: expect.stringMatching(/none changed since before the step; add or change a file .*"pawl resume RUN --accept/),
      },
      claim: { output: { code: ['src/a.py'] } },
      evidence: { outputs: [{ name: 'code', type: 'file', passed: false, seen }] },
    });
    expect(result).not.toHaveProperty('output');
  });

  test('a file output is the observed value, not the claimed one; other fields of the answer stay', async () => {
    moves = [write('src/a.py', '1'), answer({ code: ['src/lie.py'], note: 'all done', outputs: { code: 'x' } })];
    expect(await createRunner()(attempt([code]))).toHaveProperty('output', { code: ['src/a.py'], note: 'all done' });
  });

  test('a file output counts what an earlier attempt or visit of the same step changed in this run, and not what another run did', async () => {
    const run = createRunner();
    moves = [write('src/a.py', '1'), { do: 'fail', failure: 'crash' }];
    expect(await run(attempt([code]))).toMatchObject({ error: { code: 'AGENT_FAILED' } });
    moves = [answer('done before')];
    expect(await run(attempt([code], { activation: { attempt: 2 } }))).toHaveProperty('output.code', ['src/a.py']);
    expect(await run(attempt([code], { activation: { path: 'work#2' } }))).toHaveProperty('output.code', ['src/a.py']);
    expect(await run({ ...attempt([code]), runId: 'run2' })).toMatchObject({ error: { reason: 'contract' } });
    expect(await run(attempt([code], { activation: { path: 'each#1/other' } }))).toMatchObject({ error: { reason: 'contract' } });
  });

  test('a file output is recorded with its public files, which no worker can claim', async () => {
    const run = createRunner();
    moves = [write('src/a.py', 'def find(): pass\n'), write('src/b.py', 'def _b(): pass\n'), answer({ $public_api: ['src/b.py'] })];
    expect(await run(attempt([code]))).toHaveProperty('output', { code: ['src/a.py', 'src/b.py'], $public_api: ['src/a.py'] });
    moves = [write('src/a.py', 'def _find(): pass\n'), answer({ $public_api: ['src/a.py'] })];
    expect(await run(attempt([code]))).toHaveProperty('output', { code: ['src/a.py', 'src/b.py'] });
  });

  test('a file output is compared with the same baseline when a postcondition failed', async () => {
    const run = createRunner();
    const contract = { model: { postconditions: [{ name: 'x', error: 'no x' }] } };
    moves = [write('src/a.py', '1')];
    expect(await run(attempt([code], { ...contract, code: { postconditions: [() => false] } }))).toMatchObject({ type: 'errored' });
    moves = [];
    const again = { ...contract, code: { postconditions: [() => true] }, activation: { attempt: 2 } };
    expect(await run(attempt([code], again))).toMatchObject({ outcome: 'ok', output: { code: ['src/a.py'] } });
  });

  test.each(['../x/**', '/etc/*', 'src/../../x', 'C:/x', '{a,../b}/*', ''])(
    'a file output with the pattern %j is rejected before anything runs',
    async (pattern) => {
      const result = await createRunner()(attempt([{ ...code, pattern }]));
      expect(result).toMatchObject({ error: { retryable: false, message: expect.stringContaining('is rejected') } });
      expect(asked).toEqual([]);
    },
  );

  test('a file output of a command is verified too, next to the report of the command', async () => {
    const step = (run: string) => attempt([{ ...code, pattern: 'src/*' }], { kind: 'command', config: { run } });
    expect(await createRunner()(step('mkdir src; echo 1 > src/a; echo made'))).toMatchObject({
      outcome: 'ok',
      output: { code: ['src/a'], exitCode: 0, stdout: 'made\n' },
      evidence: { process: { exitCode: 0 }, outputs: [{ passed: true }] },
    });
    const run = createRunner();
    expect(await run(step('echo again'))).toMatchObject({ error: { reason: 'contract' }, claim: { exitCode: 0, stdout: 'again\n' } });
    const report = `echo '{"success": true, "result": {"code": ["src/a"]}}'`;
    expect(await run(step(report))).toMatchObject({
      type: 'errored',
      error: { reason: 'contract' },
      claim: { success: true, result: { code: ['src/a'] } },
      evidence: { process: { exitCode: 0 }, outputs: [{ passed: false }] },
    });
  });

  test('a file output of a worker that does not succeed is empty, and is not required', async () => {
    moves = [write('src/a.py', '1'), { do: 'answer', verdict: 'reject', output: { feedback: 'no', code: ['src/a.py'] } }];
    const result = await createRunner()(attempt([code, { name: 'plan', type: 'artifact', pattern: 'p' }]));
    expect(result).toMatchObject({ outcome: 'reject' });
    expect(result).toHaveProperty('output', { verdict: 'reject', feedback: 'no', code: [], plan: null });
    moves = [{ do: 'answer', verdict: 'reject' }];
    expect(await createRunner()(attempt([code]))).toHaveProperty('output', { verdict: 'reject', code: [] });
    moves = [{ do: 'answer', verdict: 'reject', output: 'no' }];
    expect(await createRunner()(attempt([code]))).toHaveProperty('output', { verdict: 'reject', feedback: 'no', code: [] });
  });
});

describe('artifacts', () => {
  const plan = { name: 'plan', type: 'artifact', pattern: 'docs/*', required: true };

  test('an artifact is one file that was changed or added, with its content', async () => {
    put('docs/old.md', 'x');
    moves = [write('docs/plan.md', '# Plän\n')];
    expect(await createRunner()(attempt([plan]))).toHaveProperty('output', {
      plan: { path: 'docs/plan.md', bytes: 8, sha256: digestText('# Plän\n'), text: '# Plän\n' },
    });
  });

  test.each<[string, string, boolean]>([
    ['text of a megabyte', 'printf "%1048576s" x > docs/plan', true],
    ['longer text', 'printf "%1048577s" x > docs/plan', false],
    ['no text', "printf '\\377' > docs/plan", false],
  ])('an artifact keeps its text within bounds: %s', async (_what, run, isKept) => {
    const result = await createRunner()(attempt([plan], { kind: 'command', config: { run: `mkdir docs; ${run}` } }));
    expect(result).toHaveProperty('output.plan.sha256');
    expect(result.type === 'settled' && 'text' in ((result.output as JsonObject).plan as JsonObject)).toBe(isKept);
  });

  test('an artifact shows no secret', async () => {
    moves = [write('docs/plan.md', 'key s3cr3t-token-value')];
    const result = await createRunner({ secrets: { KEY: 's3cr3t-token-value' } })(attempt([plan]));
    expect(result).toHaveProperty('output.plan.text', 'key [redacted:KEY]');
  });

  test('an artifact that is missing or not one file breaks the contract', async () => {
    const run = createRunner();
    moves = [];
    expect(await run(attempt([plan]))).toMatchObject({ error: { message: expect.stringContaining('no file matches "docs/*"') } });
    moves = [write('docs/a', ''), write('docs/b', '')];
    expect(await run(attempt([{ ...plan, required: false }], { activation: { path: 'work#2' } }))).toMatchObject({
      error: { reason: 'contract', message: expect.stringContaining('exactly one file must change, but 2 files did: docs/a, docs/b') },
    });
  });
});

describe('at the forge', () => {
  let stage: LocalForgeStage;
  let issue: number;
  beforeEach(async () => {
    stage = await openLocalForgeStage();
    issue = valueIn(await stage.forge.createIssue({ title: 'Add search', body: '', labels: [] }, 'k')).number;
  });
  afterEach(() => stage.close());
  const commentsOf = async (number: number) => valueIn(await stage.forge.comments(number)).map(({ body }) => body);
  const about = () => ({ snapshot: { data: { issue_number: issue } } });
  const plan = { name: 'plan', type: 'comment', required: true };
  const pr = { name: 'change', type: 'pr', required: true };
  const request = { title: 'Add search', body: 'As planned.', head: 'search' };

  describe('comments', () => {
    test.each<[string, Json]>([
      ['its type', { comment: 'First the index.', areas: 2 }],
      ['its name', { outputs: { plan: 'First the index.' }, areas: 2 }],
    ])('a comment is asked for by %s, posted by the engine and read back', async (_how, output) => {
      moves = [answer(output)];
      const result = await createRunner({ forge: stage.forge })(attempt([plan], about()));
      const [comment] = valueIn(await stage.forge.comments(issue));
      expect(comment?.body).toBe('First the index.');
      expect(result).toHaveProperty('output', { plan: `comment:${comment?.id}`, areas: 2 });
      expect(result).toMatchObject({ claim: { output }, evidence: { outputs: [{ name: 'plan', type: 'comment', passed: true }] } });
    });

    test('a comment mentions no one, closes nothing and shows no secret', async () => {
      moves = [answer({ comment: '@ann closes #1 s3cr3t-token-value' })];
      await createRunner({ forge: stage.forge, secrets: { KEY: 's3cr3t-token-value' } })(attempt([plan], about()));
      expect(await commentsOf(issue)).toEqual(['@\u200Bann c\u200Bloses #1 [redacted:KEY]']);
    });

    test('a comment is posted once when the same attempt is run again', async () => {
      moves = [answer({ comment: 'Once.' })];
      const run = createRunner({ forge: stage.forge });
      const first = await run(attempt([plan], about()));
      expect(await run(attempt([plan], about()))).toEqual(first);
      expect(await commentsOf(issue)).toEqual(['Once.']);
    });

    test('a comment that reads back differently breaks the contract', async () => {
      const run = createRunner({ forge: stage.forge });
      moves = [answer({ comment: 'Said before a crash.' })];
      await run(attempt([plan], about()));
      const [posted] = valueIn(await stage.forge.comments(issue));
      valueIn(await stage.forge.editComment({ id: posted?.id ?? '', body: 'Changed since.' }, 'edit'));
      expect(await run(attempt([plan], about()))).toMatchObject({
        error: { reason: 'contract', message: expect.stringContaining('differs from what was posted') },
      });
    });

    test('a comment goes to the issue of a run that also has a pull request', async () => {
      const other = valueIn(await stage.forge.createIssue({ title: 'x', body: '', labels: [] }, 'k2')).number;
      moves = [answer({ comment: 'Here.' })];
      await createRunner({ forge: stage.forge })(attempt([plan], { snapshot: { data: { issue_number: issue, pr_number: other } } }));
      expect([await commentsOf(issue), await commentsOf(other)]).toEqual([['Here.'], []]);
    });

    test('a comment is not posted for an attempt that was stopped', async () => {
      const controller = new AbortController();
      const late: AgentDriver = {
        name: 'late',
        ask: async () => {
          controller.abort();
          return { kind: 'answered', success: true, output: { comment: 'Too late.' } };
        },
      };
      const run = createRunner({ forge: stage.forge, drivers: { scripted: late } });
      const result = await run(attempt([plan], { ...about(), signal: controller.signal }));
      expect(result).toMatchObject({ error: { message: expect.stringContaining('stopped') } });
      expect(await commentsOf(issue)).toEqual([]);
    });

    test('a comment goes to the pull request of a run that is about no issue', async () => {
      moves = [answer({ comment: 'Looks right.' })];
      await createRunner({ forge: stage.forge })(attempt([plan], { snapshot: { data: { pr_number: issue } } }));
      expect(await commentsOf(issue)).toEqual(['Looks right.']);
    });

    test.each<[string, Json]>([
      ['nothing', 'I have posted comment:123456'],
      ['an empty text', { comment: ' ' }],
      ['no text', { outputs: { plan: 5 } }],
      ['another name', { outputs: { plans: 'x' } }],
      ['a claim', { plan: 'comment:123456' }],
    ])('a comment that is required breaks the contract when the answer has %s', async (_what, output) => {
      moves = [answer(output)];
      const result = await createRunner({ forge: stage.forge })(attempt([plan], about()));
      expect(result).toMatchObject({ error: { reason: 'contract', message: expect.stringContaining('answer with JSON that has') } });
      expect(await commentsOf(issue)).toEqual([]);
    });

    test('a comment that is not required and not asked for is null', async () => {
      moves = [answer({ plan: 'comment:1' })];
      expect(await createRunner()(attempt([{ ...plan, required: false }]))).toHaveProperty('output', { plan: null });
    });

    test('a comment is asked for by name when there are two', async () => {
      const risks = { name: 'risks', type: 'comment', required: false };
      moves = [answer({ comment: 'Which?', outputs: { risks: 'None.' } })];
      const result = await createRunner({ forge: stage.forge })(attempt([{ ...plan, required: false }, risks], about()));
      expect(result).toMatchObject({ output: { plan: null, risks: expect.stringMatching(/^comment:/) } });
      expect(await commentsOf(issue)).toEqual(['None.']);
      moves = [answer({ outputs: { plan: 'All.', risks: 'Some.' } })];
      const both = { ...about(), activation: { path: 'work#2' } };
      expect(await createRunner({ forge: stage.forge })(attempt([plan, risks], both))).toMatchObject({ outcome: 'ok' });
      expect(await commentsOf(issue)).toEqual(['None.', 'All.', 'Some.']);
    });

    test('a comment is not posted while another output is missing', async () => {
      moves = [answer({ comment: 'Done!' })];
      const file = { name: 'code', type: 'file', pattern: 'src/*', required: true };
      const result = await createRunner({ forge: stage.forge })(attempt([plan, file, pr], about()));
      expect(result).toMatchObject({ error: { reason: 'contract' } });
      expect(await commentsOf(issue)).toEqual([]);
    });

    test.each<[string, Partial<AttemptFields>, boolean]>([
      ['without a forge', { snapshot: { data: { issue_number: 1 } } }, false],
      ['in a run that is about nothing', {}, true],
    ])('%s is rejected: before the work when it is required, else when it is asked for', async (_what, fields, hasForge) => {
      const run = createRunner(hasForge ? { forge: stage.forge } : {});
      moves = [answer({ comment: 'x' })];
      const refused = {
        error: { code: 'COMMAND_NOT_RUN', retryable: false, message: expect.stringMatching(/set one up|not about an issue/) },
      };
      expect(await run(attempt([plan], fields))).toMatchObject(refused);
      expect(asked).toHaveLength(0);
      expect(await run(attempt([{ ...plan, required: false }], fields))).toMatchObject(refused);
      expect(asked).toHaveLength(1);
    });

    test.each<[string, string, (forge: LocalForge) => void]>([
      ['cannot be reached', 'error', ({ control }) => control.unavailable(true)],
      ['wants us to wait', 'quota', ({ control }) => control.rateLimit(Date.now() + 60_000)],
    ])('a comment at a forge that %s is an error of class %s that may pass, not a broken contract', async (_what, reason, tell) => {
      tell(stage.forge);
      moves = [answer({ comment: 'x' })];
      const result = await createRunner({ forge: stage.forge })(attempt([plan], about()));
      expect(result).toMatchObject({
        type: 'errored',
        error: { code: 'STEP_FAILED', reason },
        claim: { output: { comment: 'x' } },
      });
    });
  });

  describe('pull requests', () => {
    let clone: StageClone;
    beforeEach(async () => {
      clone = await stage.clone();
      await clone.git('checkout', '--quiet', '-b', 'search');
    });
    const runner = (): AttemptRunner => createRunner({ forge: stage.forge, cwd: clone.folder });

    test('a pull request is opened by the engine from the branch that the work is on, and its number is the value', async () => {
      const headSha = await clone.commit({ 'a.txt': 'a' });
      moves = [answer({ pr: { title: 'For @ann', body: 'Closes #1' }, pr_number: 999, note: 'n' })];
      const result = await runner()(attempt([pr], about()));
      const number = issue + 1;
      expect(result).toHaveProperty('output', { change: number, pr_number: number, note: 'n' });
      expect(result).toHaveProperty('remember', { pr_number: number, pr_numbers: { work: number } });
      expect(valueIn(await stage.forge.pullRequest(number))).toMatchObject({
        ...{ state: 'open', headBranch: 'search', headSha, baseBranch: 'main' },
        ...{ title: 'For @\u200Bann', body: 'C\u200Bloses #1' },
      });
    });

    test('a pull request shows no secret in its title or its text, however it is encoded', async () => {
      await clone.commit({ 'a.txt': 'a' });
      const [secret, encoded] = ['s3cr3t-token-value', Buffer.from('s3cr3t-token-value').toString('base64')];
      moves = [answer({ pr: { title: `Add ${secret}`, body: `See ${encoded}` } })];
      const run = createRunner({ forge: stage.forge, cwd: clone.folder, secrets: { KEY: secret } });
      await run(attempt([pr], about()));
      expect(valueIn(await stage.forge.pullRequest(issue + 1))).toMatchObject({ title: 'Add [redacted:KEY]', body: 'See [redacted:KEY]' });
    });

    test.each<[string, Json]>([
      ['nothing of it', {}],
      ['its number', { pr_number: 5 }],
      ['its own text for it', { pr: request }],
    ])('a pull request that was opened from the branch already is adopted when the worker says %s', async (_what, output) => {
      const sha = await clone.commit({ 'a.txt': 'a' });
      valueIn(await stage.forge.push({ folder: clone.folder, branch: 'search', sha }));
      const { number } = valueIn(await stage.forge.openPullRequest({ title: 'Mine', body: '', head: 'search', base: 'main' }, 'own'));
      moves = [answer(output)];
      expect(await runner()(attempt([pr]))).toHaveProperty('output', { change: number, pr_number: number });
      expect(valueIn(await stage.forge.pullRequestsFrom('search'))).toHaveLength(1);
    });

    test('a pull request goes to the branch that the run is for', async () => {
      await stage.commit('next', { 'n.txt': 'n' });
      await clone.commit({ 'a.txt': 'a' });
      moves = [answer({ pr: request })];
      const result = await runner()(attempt([{ ...pr, name: 'pr_number' }], { snapshot: { data: { base_branch: 'next' } } }));
      expect(result).toHaveProperty('output', { pr_number: issue + 1 });
      expect(valueIn(await stage.forge.pullRequest(issue + 1)).baseBranch).toBe('next');
    });

    test.each<[string, Json, string]>([
      [
        'a branch that the work is not on',
        { pr: { ...request, head: 'other' } },
        'the requested head is "other", but the work of this run is on "search"',
      ],
      ['a branch without a commit of its own', { pr: request }, 'has no commit'],
      [
        'a base that the run is not for',
        { pr: { ...request, base: 'other' } },
        'the requested base is "other", but the work of this run is for "main"',
      ],
      ['a head that is no text', { pr: { ...request, head: 5 } }, 'the requested pull request cannot be written'],
      ['a number it claims to have opened', { pr_number: 5 }, 'no pull request was requested'],
    ])('a pull request from %s breaks the contract, and the worker gets the reason', async (_what, output, message) => {
      await stage.commit('other', { 'untested.txt': '' });
      moves = [answer(output)];
      const result = await runner()(attempt([pr], about()));
      expect(result).toMatchObject({ error: { reason: 'contract', message: expect.stringContaining(message) } });
      expect(stage.forge.control.list('pr')).toEqual([]);
    });

    test.each([
      ['no checkout', async () => rmSync(join(clone.folder, '.git'), { recursive: true }), 'is not a git checkout'],
      ['the default branch', () => clone.git('checkout', '--quiet', 'main'), 'the work is on "main", the target of pull requests'],
      ['no branch', () => clone.git('checkout', '--quiet', '--detach'), 'no branch is checked out here'],
    ])('a pull request of work that is on %s is rejected', async (_what, change, message) => {
      await change();
      moves = [answer({ pr: request })];
      expect(await runner()(attempt([pr]))).toMatchObject({ error: { reason: 'contract', message: expect.stringContaining(message) } });
    });

    test('a pull request that changes no file breaks the contract', async () => {
      await clone.git('commit', '--quiet', '--allow-empty', '-m', 'nothing');
      moves = [answer({ pr: request })];
      expect(await runner()(attempt([pr]))).toMatchObject({ error: { message: expect.stringContaining('it changes no file') } });
    });

    test('a pull request that is no longer open breaks the contract', async () => {
      const expectedHead = await clone.commit({ 'a.txt': 'a' });
      moves = [answer({ pr: request })];
      expect(await runner()(attempt([pr]))).toMatchObject({ outcome: 'ok' });
      valueIn(await stage.forge.mergePullRequest({ number: issue + 1, deleteBranch: false, expectedHead }, 'm'));
      expect(await runner()(attempt([pr]))).toMatchObject({
        error: { reason: 'contract', message: expect.stringContaining('it is merged') },
      });
    });

    test('a rejected pull request leaves no comment behind', async () => {
      moves = [answer({ comment: 'Opened.', pr: request })];
      expect(await runner()(attempt([plan, pr], about()))).toMatchObject({ error: { reason: 'contract' } });
      expect(await commentsOf(issue)).toEqual([]);
    });

    test('a pull request that is not required and not asked for is null', async () => {
      moves = [answer({ pr_number: 999 })];
      expect(await createRunner()(attempt([{ ...pr, required: false }]))).toHaveProperty('output', { change: null });
      expect(await runner()(attempt([{ ...pr, required: false }]))).toHaveProperty('output', { change: null });
    });
  });
});

describe('instructions', () => {
  test('a step that declares outputs tells its agent of them', async () => {
    moves = [];
    await createRunner()(attempt([{ name: 'tests', type: 'file', pattern: 'tests/**' }], { model: { actions: ['Write tests.'] } }));
    expect(asked[0]?.prompt).toContain(
      '## What is checked\nPawl checks this itself, whatever you report:\n- tests: add or change files that match tests/**',
    );
  });

  test('a step without declared outputs leaves the answer unchanged', async () => {
    moves = [answer({ comment: 'x', outputs: 1 })];
    expect(await createRunner()(attempt([]))).toHaveProperty('output', { comment: 'x', outputs: 1 });
  });
});
