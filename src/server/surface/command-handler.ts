// Handles commands in comments: `/pawl approve`, `reject`, `retry`, `cancel`, `status`, `answer`. What each does is in
// `command-acts.ts`.
//
// CM1. A command in an edited comment is ignored.
// CM2. Only people with write permission can give commands, and only those in the groups that the settings name. Commands of
//      programs, and of the account that Pawl itself uses, are ignored.
// CM3. A decision counts for what the run's comment showed before the command was written: the same content, at the same head.
// CM4. A comment is handled once. It gets at most one reply, and somebody without permission at most one per hour and place.

import type { Engine } from '../../api/engine.ts';
import type { LoggedIn } from '../../authority/right.ts';
import { LOGIN_SCOPES } from '../../authority/rights.ts';
import { isEngineError } from '../../base/error.ts';
import { isJsonObject } from '../../base/json.ts';
import { isSamePerson, personAt } from '../../base/person.ts';
import type { Clock } from '../../engine/clock.ts';
import type { Comment, Forge, ReactionRequest } from '../../forge/forge.ts';
import type { DeliveryResult, StoredDelivery } from '../events/deliveries.ts';
import type { ServerDatabase } from '../server-database.ts';
import { valueIn } from '../triggers/forge-unavailable.ts';
import { type ForgeOccasion, sourceOf } from '../triggers/occasion.ts';
import { type BadCommand, commandIn, type ParsedCommand } from './command.ts';
import { actOnCommand, type CommandResult } from './command-acts.ts';
import { CommandRows } from './command-rows.ts';
import { outsideText } from './inert-text.ts';
import { RunRows } from './run-rows.ts';
import type { SurfaceSettings } from './surface-settings.ts';

/** What commands act with. */
export interface CommandParts {
  readonly forge: Forge;
  readonly settings: SurfaceSettings;
  readonly engine: Engine;
  readonly database: ServerDatabase;
  readonly clock: Clock;
}

/** A received command. */
export interface ReceivedCommand {
  readonly command: ParsedCommand;
  readonly comment: Comment;
  /** The issue or the pull request. */
  readonly number: number;
  readonly caller: LoggedIn;
}

/** Acts on the command of a comment; undefined for an event that has none. */
export type CommandHandler = (delivery: StoredDelivery, occasion: ForgeOccasion) => Promise<DeliveryResult | undefined>;

const HOUR_MS = 3_600_000;
/** Refused commands of one person in an hour that are still reacted to. */
const REFUSED_MAX = 10;
const REASON_MAX = 500;

/** Creates the handler of commands in comments. */
export function commandHandler(parts: CommandParts): CommandHandler {
  return async (delivery, occasion) => {
    const { event, payload } = occasion;
    const number = event.pr ?? event.issue;
    const written = isJsonObject(payload.comment) ? payload.comment.body : undefined;
    if (event.event !== 'issue_comment.created' || event.comment === undefined || number === undefined || typeof written !== 'string')
      return undefined;
    const command = commandIn(written);
    if (command === undefined) return undefined;
    if (sourceOf(delivery) === 'hand') return ignored('a command in a replayed event is ignored; use "pawl decide" or a similar command');
    return receive(parts, { id: event.comment, number, written, command });
  };
}

interface WrittenCommand {
  readonly id: string;
  readonly number: number;
  readonly written: string;
  readonly command: ParsedCommand | BadCommand;
}

async function receive(parts: CommandParts, { id, number, written, command }: WrittenCommand): Promise<DeliveryResult> {
  const { forge, settings, clock, database } = parts;
  if (!settings.commands || !settings.comments) return ignored('commands in comments are switched off (forge.commands, forge.comments)');
  const rows = new CommandRows(database);
  const known = rows.get(id);
  if (known !== undefined && known.outcome !== 'heard' && known.outcome !== 'begun')
    return ignored(`the comment ${id} was already handled`);
  const comment = valueIn(await forge.comments(number)).find((one) => one.id === id);
  if (comment === undefined) return ignored(`the comment ${id} is gone`);
  const self = valueIn(await forge.whoami());
  const isSelf = isSamePerson(comment.author, self.login);
  if (comment.bot || (isSelf && (self.account === 'own' || new RunRows(database).isOwn(id))))
    return ignored(`"${comment.author}" is a program; commands from programs are ignored`);
  const line = written.split(/[\r\n]/, 1)[0] ?? '';
  rows.receive({ comment: id, number, login: comment.author, command: line.slice(0, REASON_MAX), at: clock.now() });
  const answer = new CommandAnswer(parts, rows, { comment, number });
  const permission = valueIn(await forge.permission(comment.author));
  const mayWrite = permission === 'admin' || permission === 'write';
  if (!mayWrite) return answer.refuse(`${comment.author} needs write permission to give commands to Pawl`, 'stranger');
  if (isSelf)
    return answer.refuse('Pawl itself uses this account, so commands in its comments are ignored; use "pawl decide" or the dashboard');
  if (comment.edited || comment.body !== written) return answer.refuse('the comment was changed after it was written; write a new one');
  if (settings.mayCommand?.(comment.author) === false)
    return answer.refuse('the settings accept commands only from other people (forge.commands)');
  if ('problem' in command) return answer.refuse(command.problem, 'unclear');
  await answer.react('eyes');
  const caller: LoggedIn = { kind: 'person', name: personAt(forge.name, comment.author), scopes: new Set(LOGIN_SCOPES), via: 'comment' };
  return answer.give(await attempt(parts, rows, { command, comment, number, caller }));
}

/** Temporary errors, after which a retry may succeed. */
const PASSING: readonly string[] = ['STORE_UNAVAILABLE', 'RUN_LOCKED', 'ENGINE_CLOSED'];

async function attempt(parts: CommandParts, rows: CommandRows, received: ReceivedCommand): Promise<CommandResult> {
  try {
    return await actOnCommand(parts, rows, received);
  } catch (error) {
    if (!isEngineError(error) || PASSING.includes(error.code)) throw error;
    if (error.code === 'SIGNATURE_REQUIRED') return { outcome: 'asked', reason: error.message };
    return { outcome: 'refused', reason: error.message };
  }
}

/** The answer to one command: reactions, a short text, and the record. */
class CommandAnswer {
  private readonly parts: CommandParts;
  private readonly rows: CommandRows;
  private readonly received: { readonly comment: Comment; readonly number: number };

  constructor(parts: CommandParts, rows: CommandRows, received: { readonly comment: Comment; readonly number: number }) {
    this.parts = parts;
    this.rows = rows;
    this.received = received;
  }

  /** A reaction decides nothing, so its failure is ignored. */
  async react(reaction: ReactionRequest['reaction']): Promise<void> {
    const { id } = this.received.comment;
    await this.parts.forge.react({ id, reaction }, `command/${id}/${reaction}`);
  }

  async refuse(reason: string, why: 'refused' | 'stranger' | 'unclear' = 'refused'): Promise<DeliveryResult> {
    const { comment, number } = this.received;
    const { id, author } = comment;
    const before = this.rows.refusals(author, { number, since: this.parts.clock.now() - HOUR_MS });
    this.rows.end(id, { outcome: 'refused', reason });
    if (before.refused >= REFUSED_MAX) return ignored(reason);
    await this.react(why === 'unclear' ? 'confused' : '-1');
    if (why !== 'stranger' || before.answered === 0) await this.reply(`Not done: ${reason}`);
    return ignored(reason);
  }

  async give(result: CommandResult): Promise<DeliveryResult> {
    const { id } = this.received.comment;
    if (result.outcome === 'refused') return this.refuse(result.reason);
    this.rows.end(id, result);
    await this.react(result.outcome === 'done' ? '+1' : 'confused');
    if (result.reason !== undefined) await this.reply(result.reason);
    return result.outcome === 'done' ? { status: 'done', run: result.run } : ignored(result.reason);
  }

  private async reply(text: string): Promise<void> {
    const { comment, number } = this.received;
    const body = `${outsideText(text, REASON_MAX)}`;
    const written = await this.parts.forge.comment({ number, body }, `command/${comment.id}/reply`);
    if (written.result === 'ok') this.rows.replied(comment.id, written.value.id);
  }
}

function ignored(reason: string): DeliveryResult {
  return { status: 'ignored', reason };
}
