// Owns the part of the forge contract about people and rules: who wrote something and what they may do, who is assigned,
// which checks a branch requires, and what the forge itself did.

import { expect, test } from 'vitest';
import { type ForgeStage, openSample, valueIn } from './stage.ts';

const ISSUE = { title: 'Crash on start', body: 'It crashes.', labels: [] };

/** Tests what a forge reports about people and about itself. */
export function describePeople(stage: () => ForgeStage): void {
  describeAuthors(stage);
  describeRules(stage);
  describeLedger(stage);
}

function describeAuthors(stage: () => ForgeStage): void {
  test('the author of what the forge writes is the account that it uses', async () => {
    const { forge } = stage();
    const { login } = valueIn(await forge.whoami());
    const { number } = valueIn(await forge.createIssue(ISSUE, 'k1'));
    valueIn(await forge.comment({ number, body: 'seen' }, 'k2'));
    expect(valueIn(await forge.issue(number))).toMatchObject({ author: login, assignees: [], milestone: null });
    expect(valueIn(await forge.comments(number))).toMatchObject([{ author: login, edited: false }]);
  });

  test('a comment names its author, whether that is a program, and whether it was changed', async () => {
    const { forge, account, comment } = stage();
    await account('helper[bot]', { bot: true });
    const { number } = valueIn(await forge.createIssue(ISSUE, 'k1'));
    await comment(number, 'ann', 'I will look.');
    await comment(number, 'helper[bot]', 'Approved!');
    const own = valueIn(await forge.comment({ number, body: 'one' }, 'k2'));
    expect(valueIn(await forge.editComment({ id: own.id, body: 'two' }, 'k3'))).toMatchObject({ id: own.id });
    const seen = valueIn(await forge.comments(number)).map(({ author, bot, edited, body }) => ({ author, bot, edited, body }));
    expect(seen.slice(0, 2)).toEqual([
      { author: 'ann', bot: false, edited: false, body: 'I will look.' },
      { author: 'helper[bot]', bot: true, edited: false, body: 'Approved!' },
    ]);
    expect(seen[2]).toMatchObject({ body: 'two' });
  });

  test('an unknown comment cannot be edited', async () => {
    expect(await stage().forge.editComment({ id: '987654', body: 'x' }, 'k1')).toMatchObject({ result: 'not_found' });
  });

  test.each(['admin', 'write', 'read', 'none'] as const)('a person with the permission %s has it', async (permission) => {
    const { forge, account } = stage();
    await account('ann', { permission });
    expect(valueIn(await forge.permission('ann'))).toBe(permission);
  });

  test('an issue has its assignees and its milestone', async () => {
    const { forge, assign } = stage();
    const { number } = valueIn(await forge.createIssue(ISSUE, 'k1'));
    await assign(number, { people: ['ann', 'bob'], milestone: 'v2' });
    expect(valueIn(await forge.issue(number))).toMatchObject({ assignees: ['ann', 'bob'], milestone: 'v2' });
  });

  test('a team has members, and one that does not exist is not_found', async () => {
    const { forge, team } = stage();
    await team('core', ['ann', 'bob']);
    expect(valueIn(await forge.members('core'))).toEqual(['ann', 'bob']);
    expect(await forge.members('nobody')).toMatchObject({ result: 'not_found' });
  });
}

function describeRules(stage: () => ForgeStage): void {
  test('a branch has the checks that it requires', async () => {
    const { forge, requireChecks } = stage();
    const { defaultBranch } = valueIn(await forge.repository());
    expect(valueIn(await forge.requiredChecks(defaultBranch))).toEqual([]);
    await requireChecks(defaultBranch, ['lint', 'unit']);
    expect(valueIn(await forge.requiredChecks(defaultBranch))).toEqual(['lint', 'unit']);
  });

  test('a check of a CI workflow names it', async () => {
    const { forge, check } = stage();
    const { head } = await openSample(stage(), 'topic');
    await check('topic', { name: 'unit', workflow: 'CI', status: 'completed', conclusion: 'success' });
    expect(valueIn(await forge.checks(head))).toEqual([{ name: 'unit', workflow: 'CI', status: 'completed', conclusion: 'success' }]);
  });

  test('a pull request is up to date until its base has a commit that it does not have', async () => {
    const { forge, commit } = stage();
    const { number } = await openSample(stage(), 'topic');
    expect(valueIn(await forge.isUpToDate(number))).toBe(true);
    await commit(valueIn(await forge.repository()).defaultBranch, { 'other.txt': '1' });
    expect(valueIn(await forge.isUpToDate(number))).toBe(false);
  });

  test('a rate limit returns a time, nothing is done until then, and the same key works afterwards', async () => {
    const { forge, limit } = stage();
    const { number } = valueIn(await forge.createIssue(ISSUE, 'k1'));
    const until = Math.ceil(Date.now() / 1000) * 1000 + 3_600_000;
    await limit(until);
    expect(await forge.comment({ number, body: 'once' }, 'k2')).toMatchObject({ result: 'rate_limited', until });
    expect(await forge.issue(number)).toMatchObject({ result: 'rate_limited', until });
    await limit(0);
    valueIn(await forge.comment({ number, body: 'once' }, 'k2'));
    expect(valueIn(await forge.comments(number))).toHaveLength(1);
  });
}

function describeLedger(stage: () => ForgeStage): void {
  test('FG2: finished actions are listed by key, oldest first, in every process', async () => {
    const { forge, reopen } = stage();
    const { number } = valueIn(await forge.createIssue(ISSUE, 'run1/plan'));
    const { id } = valueIn(await forge.comment({ number, body: 'x' }, 'run1/note'));
    valueIn(await forge.comment({ number, body: 'y' }, 'run2/note'));
    await forge.comment({ number: 987_654, body: 'z' }, 'run1/nowhere');
    const done = valueIn(await (await reopen()).done('run1/'));
    expect(done).toMatchObject([
      { key: 'run1/plan', action: 'createIssue', value: { number } },
      { key: 'run1/note', action: 'comment', value: { id } },
    ]);
  });
}
