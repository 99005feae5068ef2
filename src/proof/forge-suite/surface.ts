// Owns the part of the forge contract about what people see of runs: reactions, comments that are kept up to date, and the
// checks of Pawl.

import { expect, test } from 'vitest';
import { OWN_CHECK_PREFIX } from '../../forge/forge.ts';
import { type ForgeStage, openSample, valueIn } from './stage.ts';

/** Tests comments, reactions and checks. */
export function describeSurface(stage: () => ForgeStage): void {
  test('a reaction to a comment exists once, by the forge itself; for an unknown comment it is not_found', async () => {
    const { forge, comment, reactions } = stage();
    const { number } = valueIn(await forge.createIssue({ title: 'Search', body: '', labels: [] }, 'k1'));
    const id = await comment(number, 'ann', '/pawl status');
    for (const key of ['k2', 'k2', 'k3']) valueIn(await forge.react({ id, reaction: 'eyes' }, key));
    valueIn(await forge.react({ id, reaction: '+1' }, 'k4'));
    const { login } = valueIn(await forge.whoami());
    expect(await reactions(id)).toEqual([
      { actor: login, reaction: 'eyes' },
      { actor: login, reaction: '+1' },
    ]);
    expect(await forge.react({ id: '987654', reaction: 'eyes' }, 'k5')).toMatchObject({ result: 'not_found' });
  });

  test('a comment says when its text was written, by the clock of the forge; a reaction does not change it', async () => {
    const { forge } = stage();
    const { number } = valueIn(await forge.createIssue({ title: 'Search', body: '', labels: [] }, 'k1'));
    const made = valueIn(await forge.comment({ number, body: 'one' }, 'k2'));
    expect(valueIn(await forge.comments(number))).toMatchObject([{ id: made.id, at: made.at, edited: false }]);
    const edited = valueIn(await forge.editComment({ id: made.id, body: 'two' }, 'k3'));
    expect(edited.at).toBeGreaterThanOrEqual(made.at ?? Number.NaN);
    const [before] = valueIn(await forge.comments(number));
    valueIn(await forge.react({ id: made.id, reaction: '-1' }, 'k4'));
    expect(valueIn(await forge.comments(number))).toEqual([before]);
  });

  test('a check by Pawl itself is marked and does not block a merge; a check of CI does', async () => {
    const { forge, check } = stage();
    const { number, head: sha } = await openSample(stage(), 'topic');
    const own = { sha, name: `${OWN_CHECK_PREFIX}fix / review`, status: 'completed' as const, conclusion: 'failure' as const };
    valueIn(await forge.setCheck(own, 'k1'));
    await check('topic', { name: 'ci', status: 'completed', conclusion: 'failure' });
    expect(valueIn(await forge.checks(sha)).map(({ name, own: isOwn }) => [name, isOwn])).toEqual([
      ['ci', undefined],
      [own.name, true],
    ]);
    const merge = { number, deleteBranch: false, expectedHead: sha };
    expect(await forge.mergePullRequest(merge, 'k2')).toMatchObject({
      result: 'ci_failure',
      message: expect.not.stringContaining('review'),
    });
    await check('topic', { name: 'ci', status: 'completed', conclusion: 'success' });
    valueIn(await forge.mergePullRequest(merge, 'k3'));
  });
}
