// Owns the discussions of the local forge, and the replies in them. They share the sequence of numbers with issues.

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
  const insert = 'INSERT INTO discussion_replies (number, author, body, at) VALUES (?, ?, ?, ?)';
  return { id: String(database.run(insert, number, database.actor, body, database.now())) };
}

function readReplies(database: LocalDatabase, number: number): readonly DiscussionReply[] {
  assertDiscussion(database, number);
  const rows = database.all('SELECT id, author, body FROM discussion_replies WHERE number = ? ORDER BY id', number);
  return rows.map(({ id, author, body }) => ({ id: String(id), author: String(author), body: String(body) }));
}

function assertDiscussion(database: LocalDatabase, number: number): void {
  const found = database.get('SELECT number FROM discussions WHERE number = ?', number);
  if (found === undefined) refuseMissing(`there is no discussion #${number}`);
}

/** Opens a discussion, as a person would; returns its number. */
export function openDiscussion(database: LocalDatabase, { title, body = '' }: { readonly title: string; readonly body?: string }): number {
  return database.write(() => {
    // A row that is inserted and deleted takes the next number of issues and pull requests.
    const number = database.run("INSERT INTO items (kind, title, body, state, author) VALUES ('issue', '', '', 'closed', '')");
    database.run('DELETE FROM items WHERE number = ?', number);
    database.run('INSERT INTO discussions (number, title, body, author) VALUES (?, ?, ?, ?)', number, title, body, database.actor);
    return number;
  });
}
