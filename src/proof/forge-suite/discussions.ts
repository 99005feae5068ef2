// Owns the part of the forge contract that is about discussions.

import { expect, test } from 'vitest';
import { type ForgeStage, valueIn } from './stage.ts';

/** Describes replies in discussions. */
export function describeDiscussions(at: () => ForgeStage): void {
  test('a reply in a discussion is added once and reads back unchanged; an unknown discussion is not_found', async () => {
    const { forge } = at();
    const number = await at().discussion('Which database?');
    const { id } = valueIn(await forge.replyToDiscussion({ number, body: 'SQLite.' }, 'd1'));
    expect(valueIn(await forge.replyToDiscussion({ number, body: 'SQLite.' }, 'd1'))).toEqual({ id });
    const { login } = valueIn(await forge.whoami());
    expect(valueIn(await forge.discussionReplies(number))).toEqual([{ id, author: login, body: 'SQLite.' }]);
    expect(await forge.replyToDiscussion({ number: 999, body: 'x' }, 'd2')).toMatchObject({ result: 'not_found' });
    expect(await forge.replyToDiscussion({ number, body: ' ' }, 'd3')).toMatchObject({ result: 'denied' });
    expect(valueIn(await forge.done('d'))).toMatchObject([{ key: 'd1', action: 'replyToDiscussion' }]);
  });

  test('a repository names its default branch', async () => {
    expect(valueIn(await at().forge.repository())).toMatchObject({ defaultBranch: 'main' });
  });
}
