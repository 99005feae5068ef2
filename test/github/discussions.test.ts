// Discussions are in GitHub's GraphQL API alone, which answers 200 also where it refuses.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { valueIn } from '../../src/proof/forge-suite/stage.ts';
import { type GitHubStage, openGitHubStage } from './stage.ts';

let stage: GitHubStage;
beforeEach(async () => {
  stage = await openGitHubStage();
});
afterEach(() => stage.close());

const MUTATION = 'POST /graphql PawlDiscussionReply';

test.each([
  ['a lost response', { status: 502, after: true, hangsUp: true }],
  ['an error after the work', { status: 502, after: true }],
])('after %s there is one reply', async (_name, fault) => {
  const number = await stage.discussion('Which database?');
  stage.hub.faults.push({ on: MUTATION, ...fault });
  const { id } = valueIn(await stage.forge.replyToDiscussion({ number, body: 'SQLite.' }, 'k1'));
  expect(valueIn(await stage.forge.discussionReplies(number)).map((reply) => reply.id)).toEqual([id]);
});

test('an error before the work changes nothing, and the same key can be tried again', async () => {
  const number = await stage.discussion('Which database?');
  stage.hub.faults.push({ on: MUTATION, status: 503 });
  expect(await stage.forge.replyToDiscussion({ number, body: 'SQLite.' }, 'k1')).toMatchObject({ result: 'unavailable' });
  valueIn(await stage.forge.replyToDiscussion({ number, body: 'SQLite.' }, 'k1'));
  expect(valueIn(await stage.forge.discussionReplies(number))).toHaveLength(1);
});

test('a long discussion is read page by page', async () => {
  const number = await stage.discussion('Which database?');
  const [discussion] = stage.hub.state.discussions;
  for (let index = 0; index < 120; index += 1) discussion?.replies.push({ id: `DC_${index}`, user: 'ann', body: `Reply ${index}` });
  expect(valueIn(await stage.forge.discussionReplies(number))).toHaveLength(120);
});

test('the repository has the URL of its web page', async () => {
  expect(valueIn(await stage.forge.repository())).toMatchObject({ url: `${stage.hub.url}/octo/project` });
});
