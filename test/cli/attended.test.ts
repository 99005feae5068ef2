// An agent that does the work of a run itself, through the command line: it is told one step, does it, reports it.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type AgentJson,
  asPrinted,
  beginAttended,
  CHAPTERS,
  ENDLESS,
  NESTED,
  PLANNED,
  patient,
  RUN,
  SLOW,
  tokenIn,
  tokensIn,
  writeTrusted,
} from './attended-runs.ts';
import { digestOf, tokenOf } from './decision-runs.ts';
import { CliRig, type Ended } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

const next = (): Promise<Ended> => rig.run(['next', RUN]);
const done = (token: string, ...words: string[]): Promise<Ended> => rig.run(['done', RUN, `--token=${token}`, ...words]);
const built = '{"tests": 3}';

/** Brings the run to its second step, and gives the token of that. */
async function planned(): Promise<string> {
  const { stdout } = await beginAttended(rig, PLANNED);
  rig.write('plan.md', 'first this, then that');
  return tokenIn((await done(tokenIn(stdout))).stdout);
}

/** The commands that were printed, by their verb. */
function commandsIn(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...text.matchAll(/^ {2}(pawl (\w+) .*)$/gm)].map(([, line = '', verb = '']) => [verb, line]));
}

describe('the other spellings', () => {
  test('the aliases work: "pawl result" reports, "pawl status" shows a run, and "pawl list --status" lists runs', async () => {
    const { stdout } = await beginAttended(rig, PLANNED);
    const token = `--token=${tokenIn(stdout)}`;
    const both = await rig.run(['result', RUN, token, '--success', '--failure', 'no']);
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('--failure cannot be combined with --success or --result')]);
    rig.write('plan.md', 'first this, then that');
    const after = await rig.run(['result', RUN, token, '--success']);
    expect(after.stdout).toContain('Step 2: build');
    const failed = await rig.run(['result', RUN, `--token=${tokenIn(after.stdout)}`, '--failure', 'no network']);
    expect(failed.stdout).toContain('Given up: build (attempt 1): the agent reported a failure: no network');
    expect((await rig.run(['status', RUN])).stdout).toMatch(new RegExp(`^${RUN} {2}waiting at build`));
    expect((await rig.run(['list', '--status', 'waiting'])).stdout).toContain(RUN);
    expect((await rig.run(['list', '--status', 'completed'])).stdout).not.toContain(RUN);
  });
});

describe('what the agent is told', () => {
  test('stdout has only the step, its instructions and the commands to report with', async () => {
    const { code, stdout, stderr } = await beginAttended(rig, PLANNED);
    const token = tokenIn(stdout);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`Step 1: plan (attempt 1) · run ${RUN}

# plan
Step 1 of 4, "plan", of the workflow "planned" (run ${RUN}), attempt 1. Work in the folder ${rig.project}

## What to do
Write plan.md.

  Keep 'quotes', $dollars and \u001b[31mcolours\u001b[0m.

## What is checked
Pawl checks this itself, whatever you report:
- written (otherwise: plan.md is not there)

## Do not change
Do not change any file that decides which commands the gates run, or the settings of Pawl, git, CI and agents (.pawl/, .git/, .github/, .claude/ and the like). A change there makes the attempt fail.

## How to report
When it is done (add a result with --result JSON, --result @FILE, or --result - for standard input):
  pawl done ${RUN} --token=${token}
When it cannot be done:
  pawl fail ${RUN} --token=${token} --reason 'why it cannot be done'
To guess what only a person can decide, and go on (MUST if a wrong guess does harm, else SHOULD or COULD):
  pawl assume ${RUN} --token=${token} --severity SHOULD --question 'Which one?' --assumed this
`);
  });

  test('"pawl next" prints the same bytes each time', async () => {
    const begun = await beginAttended(rig, PLANNED);
    for (let round = 0; round < 2; round += 1) expect(await next()).toEqual({ code: 0, stdout: begun.stdout, stderr: '' });
  });

  test('the instructions of a step cannot control a terminal', async () => {
    await beginAttended(rig, PLANNED);
    const terminal = rig.terminal(['next', RUN]);
    expect(await terminal.ended).toBe(0);
    expect(terminal.printed()).toContain('$dollars and colours.');
  });

  test('the instructions name the schema of the result, and the command for questions if the step allows them', async () => {
    await planned();
    const { stdout } = await next();
    expect(stdout).toContain('The result must match this JSON Schema: {"type":"object","required":["tests"]');
    expect(Object.keys(commandsIn(stdout))).toEqual(['done', 'fail', 'assume', 'ask']);
  });

  test('"pawl next --json" has the open steps and the state of the run', async () => {
    await beginAttended(rig, PLANNED);
    const told = await rig.json<AgentJson>(['next', RUN]);
    expect(told).toMatchObject({ code: 0, run: { id: RUN, status: 'waiting' } });
    expect(told.openSteps).toEqual([
      {
        run: RUN,
        path: 'plan#1',
        step: 'plan',
        title: 'plan',
        role: 'planner',
        attempt: 1,
        token: tokenIn((await next()).stdout),
        prompt: expect.stringContaining('Write plan.md.'),
        mayAsk: false,
      },
    ]);
  });

  test('a started run belongs to the session of the agent that started it', async () => {
    await beginAttended(rig, PLANNED, { env: { CLAUDE_CODE_SESSION_ID: 'session-1' } });
    const files = readdirSync(rig.state, { recursive: true, encoding: 'utf8' }).map((name) => join(rig.state, name));
    const kept = files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file, 'utf8'));
    expect(kept.filter((text) => text.startsWith('{"id":"session-1"') && text.includes(RUN))).toHaveLength(1);
  });

  test('an attended run waits for a delay that ends soon, and names the end of a longer one', async () => {
    const soon = await beginAttended(rig, patient('200ms'));
    expect([soon.code, soon.stdout]).toEqual([0, expect.stringContaining('Step 2: work (attempt 1)')]);
    writeTrusted(rig, '.pawl/workflows/patient.ts', patient('2h'));
    const later = await rig.run(['run', 'patient', '--attended']);
    expect([later.code, later.stdout]).toEqual([3, expect.stringMatching(/waits at "pause" until \d{4}-.*Z, then for "pawl resume/)]);
  });

  test('a signal before the first step leaves stdout empty, says how to continue, and exits with 130', async () => {
    writeTrusted(rig, '.pawl/workflows/endless.ts', ENDLESS);
    const running = rig.start(['run', 'endless', '--attended', '--id', RUN]);
    await running.until('begun');
    running.process.kill('SIGINT');
    await running.until('pawl:');
    running.process.kill('SIGINT');
    const { code, stdout, stderr } = await running.ended;
    expect([code, stdout]).toEqual([130, '']);
    expect(stderr).toContain(`run ${RUN} was stopped; "pawl resume ${RUN}" continues it`);
  });

  test('--attended cannot be combined with --detach or --wait', async () => {
    for (const option of ['--detach', '--wait']) {
      const { code, stderr } = await beginAttended(rig, PLANNED, { words: [option] });
      expect([code, stderr]).toEqual([2, expect.stringContaining(`--attended and ${option} cannot be combined`)]);
    }
    expect((await rig.json<{ runs: unknown[] }>(['runs'])).runs).toEqual([]);
  });
});

describe('a report', () => {
  test('a report without the work is not accepted: it prints what is missing and a new token, and exits with 1', async () => {
    const token = tokenIn((await beginAttended(rig, PLANNED)).stdout);
    const { code, stdout } = await done(token, '--result', '{"written": true}');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Not accepted: plan \(attempt 1\): plan\.md is not there .*\n\nStep 1: plan \(attempt 2\)/);
    expect(stdout).toContain('Previous attempt failed: plan.md is not there');
    expect(tokenIn(stdout)).not.toBe(token);
    expect((await next()).stdout).toBe(stdout.slice(stdout.indexOf('Step 1')));
  });

  test('a report of finished work is accepted, and the next step is printed', async () => {
    const token = tokenIn((await beginAttended(rig, PLANNED)).stdout);
    rig.write('plan.md', 'a plan');
    const { code, stdout } = await done(token);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Accepted: plan \(attempt 1\)\.\n\nStep 2: build \(attempt 1\)/)]);
  });

  test('a result that does not match the schema changes nothing, and the error says how to report again with the same token', async () => {
    const token = await planned();
    for (const words of [[], ['--result', '{"tests": "all"}']]) {
      const { code, stdout, stderr } = await done(token, ...words);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(
        new RegExp(`the token is still valid, so send it again: pawl done ${RUN} --result @result.json --token=${token}`),
      );
    }
    expect((await done(token, '--result', built)).code).toBe(3);
  });

  test('a result can come from a file or from standard input', async () => {
    const token = await planned();
    rig.write('result.json', '{"tests": 4}');
    expect(asPrinted(rig, commandsIn((await next()).stdout).done ?? '').status).toBe(3);
    const again = await rig.run(['done', RUN, `--token=${token}`, '--result', '-'], { input: '{"tests": 4}' });
    expect(again.stdout).toContain('already recorded');
    const spent = await rig.run(['done', RUN, `--token=${token}`, '--result', '-'], { input: '{"tests": 5}' });
    expect([spent.code, spent.stderr]).toEqual([1, expect.stringContaining('[TOKEN_SPENT]')]);
  });

  test('a repeated report gets the same verdict and the current step', async () => {
    const first = tokenIn((await beginAttended(rig, PLANNED)).stdout);
    const refused = await done(first);
    expect(await done(first)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('(This report was already recorded.)\n\nStep 1: plan (attempt 2)'),
    });
    rig.write('plan.md', 'a plan');
    const second = tokenIn(refused.stdout);
    const accepted = await done(second);
    const again = await done(second);
    expect([again.code, again.stdout]).toEqual([0, accepted.stdout.replace('.\n', '. (This report was already recorded.)\n')]);
  });

  test('a report without a token, with a guessed one or with that of an earlier attempt changes nothing', async () => {
    const first = tokenIn((await beginAttended(rig, PLANNED)).stdout);
    await done(first, '--result', '1');
    const before = await next();
    expect(await rig.run(['done', RUN])).toMatchObject({ code: 2, stderr: expect.stringContaining('--token is missing') });
    expect(await done('guessed')).toMatchObject({ code: 1, stderr: expect.stringContaining('"next" prints the open step') });
    expect(await done(first, '--result', '2')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('already reported with a different result'),
    });
    expect(await next()).toEqual(before);
  });

  test('the JSON reply to a report has the verdict', async () => {
    const { openSteps } = JSON.parse((await beginAttended(rig, PLANNED, { words: ['--json'] })).stdout) as AgentJson;
    const told = await rig.json<AgentJson>(['done', RUN, `--token=${openSteps[0]?.token}`]);
    expect(told).toMatchObject({
      code: 1,
      verdict: { accepted: false, repeated: false, message: expect.stringContaining('plan.md is not there') },
      openSteps: [{ step: 'plan', attempt: 2 }],
      run: { status: 'waiting' },
    });
  });

  test('a report exits with 3 if only a person can continue, and with the exit code of the run if it ended', async () => {
    const token = await planned();
    const parked = await done(token, '--result', built);
    const line = [
      `Run ${RUN} waits for a person to decide "ask" ("pawl inbox ${RUN}"); there is nothing for you to do until then.`,
      `- Asked at step "ask": Good? Options: "yes", "again".`,
      `- A person runs, in their own terminal: pawl decide ${RUN} --option yes`,
      '',
    ].join('\n');
    expect([parked.code, parked.stdout]).toEqual([3, `Accepted: build (attempt 1).\n${line}`]);
    expect(await next()).toEqual({ code: 3, stdout: line, stderr: '' });
    const PAWL_TOKEN = await tokenOf(rig, 'ann');
    await rig.run(['decide', RUN, '--option', 'yes', '--digest', await digestOf(rig)], { env: { PAWL_TOKEN } });
    expect(await next()).toEqual({ code: 0, stdout: `Run ${RUN} is completed; there is nothing left to do.\n`, stderr: '' });
    expect(await done(token, '--result', built)).toMatchObject({ code: 0, stdout: expect.stringContaining('is completed') });
  });

  test('a report whose process was killed during verification is verified when it is repeated', async () => {
    const token = tokenIn((await beginAttended(rig, SLOW)).stdout);
    const running = rig.start(['done', RUN, '--token', token]);
    await running.until('checking');
    expect(await next()).toMatchObject({ code: 3, stdout: expect.stringContaining('is executing in another process') });
    running.process.kill('SIGKILL');
    await running.ended;
    expect(await next()).toMatchObject({ code: 3, stdout: expect.stringContaining(`"pawl resume ${RUN}" continues it`) });
    rig.write('go', '');
    const { code, stdout } = await done(token);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Accepted: work[\s\S]*is completed/)]);
  });
});

describe('a run below another', () => {
  test("a step of a child run is handed out with the child's id, and its report completes the parent", async () => {
    rig.write('.pawl/agents/worker.md', '---\ndriver: attended\n---\nYou work.\n');
    const { code, stdout } = await beginAttended(rig, NESTED);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Step 1: work \(attempt 1\) · run (?!aaaaaaaaaaaaaaa1)/)]);
    const ended = asPrinted(rig, commandsIn(stdout).done ?? '');
    expect([ended.status, ended.stdout]).toEqual([
      0,
      `Accepted: work (attempt 1).\nRun ${RUN} is completed; there is nothing left to do.\n`,
    ]);
    expect(readFileSync(join(rig.project, 'told'), 'utf8')).toBe('told\n');
  });
});

describe('giving up', () => {
  test('a reported failure is retried with its reason; then the run escalates with exit code 8', async () => {
    await planned();
    const first = asPrinted(rig, commandsIn((await next()).stdout).fail ?? '');
    expect([first.status, first.stdout]).toEqual([0, expect.stringMatching(/^Given up: build \(attempt 1\)/)]);
    expect(first.stdout).toContain('Previous attempt failed: the agent reported a failure: why it cannot be done');
    const second = await rig.run(['fail', RUN, `--token=${tokenIn(first.stdout)}`, '--reason', 'no network']);
    expect([second.code, second.stdout]).toEqual([
      8,
      expect.stringMatching(new RegExp(`Run ${RUN} escalated and waits for a person .*no network`)),
    ]);
    expect(await next()).toMatchObject({ code: 8, stdout: expect.stringContaining('escalated') });
  });

  test('"pawl fail" needs a reason', async () => {
    const token = tokenIn((await beginAttended(rig, PLANNED)).stdout);
    expect(await rig.run(['fail', RUN, `--token=${token}`])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--reason is missing'),
    });
  });
});

describe('without a run', () => {
  test('without a run "pawl next" prints the only open attended run, lists several, or says that there is none', async () => {
    expect((await rig.run(['next'])).stderr).toContain('no attended run is open in this project');
    const { stdout } = await beginAttended(rig, PLANNED);
    expect((await rig.run(['next'])).stdout).toBe(stdout);
    await rig.run(['run', 'planned', '--attended', '--id', 'aaaaaaaaaaaaaaa2']);
    const { code, stderr } = await rig.run(['next']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/name one of the open attended runs.*\n {2}aaaaaaaaaaaaaaa2 {2}planned {2}open: "plan"\n {2}aaaaaaaaaaaaaaa1 /);
    expect((await rig.json<{ runs: { id: string }[] }>(['runs', '--attended'])).runs.map(({ id }) => id)).toEqual([
      'aaaaaaaaaaaaaaa2',
      RUN,
    ]);
    await rig.run(['cancel', RUN]);
    expect((await rig.json<{ runs: { id: string }[] }>(['runs', '--attended'])).runs.map(({ id }) => id)).toEqual(['aaaaaaaaaaaaaaa2']);
  });
});

describe('a fan-out', () => {
  const report = (token: string): Promise<Ended> => done(token);

  test('the items of a fan-out have a token each, and can be reported in any order', async () => {
    const { code, stdout } = await beginAttended(rig, CHAPTERS);
    expect([code, tokensIn(stdout).length]).toEqual([0, 3]);
    expect([...stdout.matchAll(/^Step 1: write, item (.*) \(attempt 1\)/gm)].map(([, item]) => item)).toEqual(['one', 'two', 'three']);
    expect(stdout).toMatch(/These 3 steps are independent: report each with its own token, in any order\.\n$/);
    expect((await next()).stdout).toBe(stdout);
  });

  test('a sub-agent with a token gets only that step, and after its report that step again or nothing', async () => {
    const [one = '', two = ''] = tokensIn((await beginAttended(rig, CHAPTERS)).stdout);
    const served = await rig.run(['next', RUN, `--token=${two}`]);
    expect([served.code, tokensIn(served.stdout)]).toEqual([0, [two]]);
    expect(served.stdout).not.toContain('still open');
    expect(
      (await rig.json<{ openSteps: { token: string }[] }>(['next', RUN, `--token=${two}`])).openSteps.map(({ token }) => token),
    ).toEqual([two]);
    const refused = await done(one, '--only');
    expect([refused.code, tokensIn(refused.stdout).length]).toEqual([1, 1]);
    expect(refused.stdout).toContain('write, item one (attempt 2)');
    rig.write('two', '');
    const accepted = await done(two, '--only');
    expect(accepted).toEqual({
      code: 0,
      stdout: 'Accepted: write, item two (attempt 1).\nThere is nothing left to do for you.\n',
      stderr: '',
    });
    expect((await rig.run(['next', RUN, `--token=${two}`])).stderr).toContain('[TOKEN_UNKNOWN]');
  });

  test('only the failed item of a fan-out is handed out again', async () => {
    const [one = '', two = '', three = ''] = tokensIn((await beginAttended(rig, CHAPTERS)).stdout);
    rig.write('three', '');
    expect(await report(three)).toEqual({
      code: 0,
      stdout: `Accepted: write, item three (attempt 1).\n2 steps that were handed out before are still open; "pawl next ${RUN}" prints them.\n`,
      stderr: '',
    });
    const refused = await report(one);
    expect([refused.code, tokensIn(refused.stdout).length]).toEqual([1, 1]);
    expect(refused.stdout).toContain('Step 1: write, item one (attempt 2)');
    rig.write('one', '');
    rig.write('two', '');
    await report(two);
    expect(await report(tokenIn(refused.stdout))).toMatchObject({ code: 0, stdout: expect.stringContaining('Step 2: index (attempt 1)') });
  });

  test('several agents can report items of a fan-out at the same time', async () => {
    const names = ['one', 'two', 'three', 'four', 'five'];
    const begun = await beginAttended(rig, CHAPTERS, { words: ['--params', JSON.stringify({ chapters: names })] });
    for (const name of names) rig.write(name, '');
    const ended = await Promise.all(tokensIn(begun.stdout).map(report));
    expect(ended.map(({ code, stdout, stderr }) => [code, stdout.split('\n')[0], stderr])).toEqual(
      names.map((name) => [0, `Accepted: write, item ${name} (attempt 1).`, '']),
    );
    expect((await next()).stdout).toContain('Step 2: index (attempt 1)');
  });
});
