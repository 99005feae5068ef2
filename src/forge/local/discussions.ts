// Owns the discussions of the local forge, and the replies in them. They have numbers of the same sequence as issues.

import type { DiscussionReply, ForgeActor, ForgeAnswer, ForgeFailure, ForgeReader } from '../forge.ts';
import { doOnce, refuseText } from './actions.ts';
import type { LocalDatabase } from './database.ts';
import { deny } from './state.ts';

/** Creates what the local forge does with discussions. */
export function createDiscussions(database: LocalDatabase): Pick<ForgeActor, 'replyToDiscussion'> & Pick<ForgeReader, 'discussionReplies'> {
  return {
    replyToDiscussion: async ({ number, body }, key) =>
      doOnce(database, { name: 'replyToDiscussion', key }, (): ForgeAnswer<{ id: string }> => {
        const refusal = missing(database, number) ?? (body.trim() === '' ? deny('a reply must not be empty') : refuseText(undefined, body));
        if (refusal !== undefined) return refusal;
        const insert = 'INSERT INTO discussion_replies (number, author, body, at) VALUES (?, ?, ?, ?)';
        return { result: 'ok', value: { id: String(database.run(insert, number, database.actor, body, database.now())) } };
      }),
    discussionReplies: async (number) => {
      const value = (): readonly DiscussionReply[] =>
        database
          .all('SELECT id, author, body FROM discussion_replies WHERE number = ? ORDER BY id', number)
          .map(({ id, author, body }) => ({ id: String(id), author: String(author), body: String(body) }));
      return missing(database, number) ?? { result: 'ok', value: value() };
    },
  };
}

function missing(database: LocalDatabase, number: number): ForgeFailure | undefined {
  const found = database.get('SELECT number FROM discussions WHERE number = ?', number);
  return found === undefined ? { result: 'not_found', message: `there is no discussion #${number}` } : undefined;
}

/** Opens a discussion, as a person would; returns its number. */
export function openDiscussion(database: LocalDatabase, { title, body = '' }: { readonly title: string; readonly body?: string }): number {
  return database.write(() => {
    // A row that comes and goes takes the next number of issues and pull requests.
    const number = database.run("INSERT INTO items (kind, title, body, state, author) VALUES ('issue', '', '', 'closed', '')");
    database.run('DELETE FROM items WHERE number = ?', number);
    database.run('INSERT INTO discussions (number, title, body, author) VALUES (?, ?, ?, ?)', number, title, body, database.actor);
    return number;
  });
}
