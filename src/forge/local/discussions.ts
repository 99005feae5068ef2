// Owns the discussions of the local forge, and the replies in them. They share the sequence of numbers with issues.

import { number, rowAs, text } from '../../base/sql-row.ts';
import type { CommentRequest, DiscussionReply, ForgeActor, ForgeReader } from '../forge.ts';
import { assertComment, refuseMissing, type ThrowingMethods } from '../refusal.ts';
import { keyed } from './actions.ts';
import type { LocalDatabase } from './database.ts';

/** Creates the methods for discussions. */
export function createDiscussions(
  database: LocalDatabase,
): ThrowingMethods<Pick<ForgeActor, 'replyToDiscussion'> & Pick<ForgeReader, 'discussionReplies'>> {
  return {
    replyToDiscussion: keyed(database, 'replyToDiscussion', reply),
    discussionReplies: async (number) => readReplies(database, number),
  };
}

function reply(database: LocalDatabase, { number, body }: CommentRequest): { id: string } {
  assertDiscussion(database, number);
  assertComment(body, 'reply');
  const { id } = database.insert('discussion_replies', { number, author: database.actor, body, at: database.now() });
  return { id: String(id) };
}

function readReplies(database: LocalDatabase, number: number): readonly DiscussionReply[] {
  assertDiscussion(database, number);
  const rows = database.all('SELECT id, author, body FROM discussion_replies WHERE number = ? ORDER BY id', number);
  return rows.map(replyRow).map(({ id, ...reply }) => ({ ...reply, id: String(id) }));
}

const replyRow = rowAs({ id: number, author: text, body: text });

function assertDiscussion(database: LocalDatabase, number: number): void {
  const found = database.get('SELECT number FROM discussions WHERE number = ?', number);
  if (found === undefined) refuseMissing(`there is no discussion #${number}`);
}

/** Opens a discussion, as a person would; returns its number. */
export function openDiscussion(database: LocalDatabase, { title, body = '' }: { readonly title: string; readonly body?: string }): number {
  return database.write(() => {
    // A row that is inserted and deleted takes the next number of issues and pull requests.
    const { id: number } = database.insert('items', { kind: 'issue', title: '', body: '', state: 'closed', author: '' });
    database.run('DELETE FROM items WHERE number = ?', number);
    database.insert('discussions', { number, title, body, author: database.actor });
    return number;
  });
}
