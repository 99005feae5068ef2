// Owns the table of received commands: who wrote which one, about what, and the result. A comment is handled once, however
// often its event is delivered.

import { nullable, number, oneOf, rowAs, type SqlRow, text } from '../../../base/sql-row.ts';
import type { ServerDatabase } from '../../server-database.ts';

/** The question that a command decides, with the content that was shown. */
export interface CommandTarget {
  readonly run: string;
  readonly approval: string;
  readonly digest: string;
  readonly head: string | null;
}

/** A recorded command. `started`: it was allowed and may have been carried out. */
interface CommandRow {
  readonly comment: string;
  readonly number: number;
  readonly login: string;
  readonly command: string;
  readonly outcome: 'received' | 'started' | 'done' | 'refused' | 'unsupported';
  readonly reason: string | null;
  readonly target: CommandTarget | undefined;
}

/** The rows of a server's database. */
export class CommandRows {
  private readonly database: ServerDatabase;

  constructor(database: ServerDatabase) {
    this.database = database;
  }

  get(comment: string): CommandRow | undefined {
    const row = this.database.get('SELECT * FROM forge_commands WHERE comment = ?', comment);
    return row === undefined ? undefined : rowOf(row);
  }

  receive({
    comment,
    number,
    login,
    command,
    at,
  }: Pick<CommandRow, 'comment' | 'number' | 'login' | 'command'> & { readonly at: number }): void {
    const row = { comment, number, login: login.toLowerCase(), command, at, outcome: 'received' };
    this.database.insert('forge_commands', row, 'ignore');
  }

  /** Records what is about to be decided, so that after a crash it can be checked whether it was. */
  begin(comment: string, { run, approval, digest, head }: CommandTarget): void {
    this.database.run(
      "UPDATE forge_commands SET outcome = 'started', run = ?, approval = ?, digest = ?, head = ? WHERE comment = ?",
      ...[run, approval, digest, head, comment],
    );
  }

  end(
    comment: string,
    { outcome, reason, run }: { readonly outcome: CommandRow['outcome']; readonly reason?: string; readonly run?: string },
  ): void {
    this.database.run(
      'UPDATE forge_commands SET outcome = ?, reason = ?, run = coalesce(run, ?) WHERE comment = ?',
      ...[outcome, reason ?? null, run ?? null, comment],
    );
  }

  /** Records the reply to a command, which is a comment of Pawl. */
  replied(comment: string, reply: string): void {
    this.database.run('UPDATE forge_commands SET reply = ? WHERE comment = ?', reply, comment);
  }

  /** How many commands of a person were refused since a time, and how many of those at this number got a reply. */
  refusals(login: string, { number, since }: { readonly number: number; readonly since: number }): { refused: number; answered: number } {
    const row = this.database.get(
      `SELECT count(*) AS refused, count(CASE WHEN number = ? THEN reply END) AS answered FROM forge_commands
       WHERE login = ? AND at > ? AND outcome = 'refused'`,
      ...[number, login.toLowerCase(), since],
    );
    return { refused: Number(row?.refused ?? 0), answered: Number(row?.answered ?? 0) };
  }
}

const commandRow = rowAs({
  ...{ comment: text, number, login: text, command: text, reason: nullable(text) },
  outcome: oneOf('received', 'started', 'done', 'refused', 'unsupported'),
  ...{ run: nullable(text), approval: nullable(text), digest: nullable(text), head: nullable(text) },
});

function rowOf(row: SqlRow): CommandRow {
  const { run, approval, digest, head, ...command } = commandRow(row);
  return { ...command, target: run === null || approval === null || digest === null ? undefined : { run, approval, digest, head } };
}
