// Questions of an agent: relayed to a person, who alone can answer them, and told to a fresh attempt.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { beginAttended, RUN, tokenIn } from './attended-runs.ts';
import { tokenOf } from './decision-runs.ts';
import { CliRig, type Ended } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

const ASKING = `
import { defineWorkflow } from 'pawl/compat';

export default defineWorkflow({
  name: 'asking',
  steps: [{ id: 'work', agent: 'worker', prompt: 'Work.', supportsQuestions: true, next: null }],
});
`;

const QUESTIONS = JSON.stringify([
  {
    question: 'Which database\u001b[31m?',
    options: [{ label: 'Postgres', description: 'it is there' }, { label: 'SQLite' }],
  },
  { question: 'Which parts?', options: ['api', 'web', 'docs'], multiSelect: true },
]);

interface QuestionsJson {
  readonly questions: readonly { readonly run: string; readonly path: string; readonly digest: string; readonly command: string }[];
}

/** Starts a run whose agent asks at once. */
async function asked(): Promise<Ended> {
  const token = tokenIn((await beginAttended(rig, ASKING)).stdout);
  return rig.run(['ask', RUN, `--token=${token}`, '--questions', '-'], { input: QUESTIONS });
}

const digest = async (): Promise<string> => (await rig.json<QuestionsJson>(['inbox'])).questions[0]?.digest ?? '';
const prompt = async (): Promise<string> => (await rig.run(['next', RUN])).stdout;

describe('questions of an agent', () => {
  test('wait for a person, and the agent gets exit code 3', async () => {
    const line = [
      `Run ${RUN} waits for a person to answer the questions of "work" ("pawl answer ${RUN}"); there is nothing for you to do until then.`,
      '- Asked at step "work": Which database? Options: "Postgres", "SQLite".',
      '- Asked at step "work": Which parts? Options: "api", "web", "docs".',
      `- A person runs, in their own terminal: pawl answer ${RUN}`,
      '',
    ].join('\n');
    expect(await asked()).toEqual({ code: 3, stdout: line, stderr: '' });
    expect(await rig.run(['next', RUN])).toEqual({ code: 3, stdout: line, stderr: '' });
  });

  test('that are invalid, or that the step does not accept, are refused, and the token stays valid', async () => {
    const token = tokenIn((await beginAttended(rig, ASKING)).stdout);
    const ask = (questions: string): Promise<Ended> => rig.run(['ask', RUN, `--token=${token}`, '--questions', questions]);
    expect(await ask('[]')).toMatchObject({ code: 1, stderr: expect.stringMatching(/1 to 3 questions.*the token is still valid/) });
    expect(await ask('{')).toMatchObject({ code: 2, stderr: expect.stringContaining('--questions is not valid JSON') });
    expect((await ask(QUESTIONS)).code).toBe(3);
  });

  test('are refused until the agent has saved its progress, if the step demands that', async () => {
    const saving = ASKING.replace('supportsQuestions: true', "supportsQuestions: true, questionState: 'plan.json'");
    const { stdout } = await beginAttended(rig, saving);
    expect(stdout).toContain('save your progress in files that match "plan.json"');
    const ask = (): Promise<Ended> => rig.run(['ask', RUN, `--token=${tokenIn(stdout)}`, '--questions', QUESTIONS]);
    const message = /no file matches "plan.json"; save your progress there, then ask again.*the token is still valid/;
    expect(await ask()).toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
    rig.write('plan.json', '{}');
    expect((await ask()).code).toBe(3);
  });

  test('are listed in full, with their digest, among what else waits for a person', async () => {
    await asked();
    expect((await rig.run(['inbox'])).stdout).toMatch(new RegExp(`${RUN}  work#1  asking .*\\(an agent asks 2 questions\\)`));
    const whole = (await rig.run(['inbox', RUN])).stdout;
    expect(whole).toContain('│ Question 1 of 2: Which database?\n│ Postgres: it is there');
    expect(whole).toContain(`pawl answer ${RUN} --step work#1\ndigest ${await digest()}`);
    expect((await rig.run(['show', RUN])).stdout).toContain(`pawl answer ${RUN}`);
  });
});

describe('answering', () => {
  test('needs a person: an agent in its shell cannot do it', async () => {
    await asked();
    for (const words of [['SQLite', 'api'], [], ['SQLite', 'api', '--yes', '--digest', await digest()]]) {
      const { code, stdout, stderr } = await rig.run(['answer', RUN, ...words]);
      expect([code, stdout]).toEqual([4, '']);
      expect(stderr).toMatch(/only a person can run "pawl answer", .* or set PAWL_TOKEN .* --digest .*\[NOT_ALLOWED\]/);
    }
    expect((await rig.run(['next', RUN])).code).toBe(3);
  });

  test('with a token and the digest of what was seen passes the answers to a new attempt', async () => {
    await asked();
    const PAWL_TOKEN = await tokenOf(rig, 'ann');
    const answer = (...words: string[]): Promise<Ended> => rig.run(['answer', RUN, ...words], { env: { PAWL_TOKEN } });
    expect(await answer('SQLite', 'api')).toMatchObject({ code: 4, stderr: expect.stringContaining('--digest') });
    expect(await answer('SQLite', 'api', '--digest', '0'.repeat(12))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('[CONTENT_CHANGED]'),
    });
    expect(await answer('SQLite', '--digest', await digest())).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('asks 2 questions, but 1 answers were given'),
    });
    expect(await answer('2', 'docs, 1', '--digest', (await digest()).slice(0, 12))).toMatchObject({
      code: 3,
      stdout: expect.stringContaining(`pawl next ${RUN}`),
    });
    const told = await prompt();
    expect(told).toContain('Step 1: work (attempt 2)');
    expect(told).toMatch(/"answer": "SQLite"[\s\S]*"answer": \[\s*"docs",\s*"api"\s*\]/);
    expect(await answer('1', '1', '--digest', await digest())).toMatchObject({ code: 2 });
  });

  test('at a terminal asks the questions one by one, and a skipped one stays open', async () => {
    await asked();
    const later = rig.terminal(['answer', RUN]);
    await later.until('Your answer');
    later.type('\r');
    expect(await later.ended).toBe(3);
    expect(later.text()).toContain(`Nothing was answered; "pawl answer ${RUN}" asks again.`);
    const terminal = rig.terminal(['answer', RUN, '--step', 'work']);
    await terminal.until(/Which database\?[\s\S]*Your answer/);
    terminal.type('neither\r');
    await terminal.until(/Which parts\?[\s\S]*Your answer/);
    terminal.type('api\r');
    await terminal.ended;
    expect(await prompt()).toContain('"answer": "neither"');
  });

  test('is refused when nobody asked', async () => {
    await beginAttended(rig, ASKING);
    const PAWL_TOKEN = await tokenOf(rig, 'ann');
    const { code, stderr } = await rig.run(['answer', RUN, 'yes', '--digest', '0'.repeat(12)], { env: { PAWL_TOKEN } });
    expect([code, stderr]).toEqual([2, expect.stringContaining('has no questions that wait for an answer')]);
  });
});
