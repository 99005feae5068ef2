// Handles commands in comments: `/pawl approve`, `reject`, `retry`, `cancel`, `status`, `answer`. What each does is in
// `acts.ts`.
//
// CM1. A command in an edited comment is ignored.
// CM2. Only people with write permission can give commands, and only those whom the settings allow. Commands of programs, and
//      of the account that Pawl itself uses, are ignored.
// CM3. A decision counts for what the run's comment showed before the command was written: the same content, at the same head.
// CM4. A comment is handled once. It gets at most one reply, and a person without permission gets at most one reply per hour at
//      an issue or pull request.

import type { Engine } from '../../../api/engine.ts';
import type { LoginIdentity } from '../../../authority/right.ts';
import { LOGIN_SCOPES } from '../../../authority/rights.ts';
import { isEngineError } from '../../../base/error.ts';
import { isJsonObject } from '../../../base/json.ts';
import { isSamePerson, personAt } from '../../../base/person.ts';
import type { Clock } from '../../../engine/clock.ts';
import type { CommentReactionRequest, Forge, ForgeComment } from '../../../forge/forge.ts';
import { type DeliveryResult, isTemporary, type StoredDelivery } from '../../events/deliveries.ts';
import type { ServerDatabase } from '../../server-database.ts';
import { valueIn } from '../../triggers/forge-unavailable.ts';
import { type ReceivedEvent, sourceOf } from '../../triggers/received-event.ts';
import { inertMarkdown } from '../inert-text.ts';
import { RunRows } from '../run/rows.ts';
import type { SurfaceSettings } from '../surface-settings.ts';
import { actOnCommand, type CommandResult } from './acts.ts';
import { commandIn, type InvalidCommand, type ParsedCommand } from './command.ts';
import { CommandRows } from './rows.ts';

/** What commands need. */
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
  readonly comment: ForgeComment;
  /** The issue or the pull request. */
  readonly number: number;
  readonly caller: LoginIdentity;
}

/** Carries out the command of a comment; undefined for an event without one. */
export type CommandHandler = (delivery: StoredDelivery, received: ReceivedEvent) => Promise<DeliveryResult | undefined>;

const HOUR_MS = 3_600_000;
/** How many refused commands of a person per hour get a reaction. */
const REFUSED_MAX = 10;
const REASON_MAX = 500;

/** Creates the handler of commands in comments. */
export function commandHandler(parts: CommandParts): CommandHandler {
  return async (delivery, received) => {
    const { event, payload } = received;
    const number = event.pr ?? event.issue;
    const written = isJsonObject(payload.comment) ? payload.comment.body : undefined;
    if (event.event !== 'issue_comment.created' || event.comment === undefined || number === undefined || typeof written !== 'string')
      return undefined;
    const command = commandIn(written);
    if (command === undefined) return undefined;
    if (sourceOf(delivery) === 'manual') return ignored('a command in a replayed event is ignored; use "pawl decide" or a similar command');
    return receive(parts, { id: event.comment, number, written, command });
  };
}

interface WrittenCommand {
  readonly id: string;
  readonly number: number;
  readonly written: string;
  readonly command: ParsedCommand | InvalidCommand;
}

async function receive(parts: CommandParts, { id, number, written, command }: WrittenCommand): Promise<DeliveryResult> {
  const { forge, settings, clock, database } = parts;
  if (!settings.commands || !settings.comments) return ignored('commands in comments are switched off (forge.commands, forge.comments)');
  const rows = new CommandRows(database);
  const known = rows.get(id);
  if (known !== undefined && known.outcome !== 'received' && known.outcome !== 'started')
    return ignored(`the comment ${id} was already handled`);
  const comment = valueIn(await forge.comments(number)).find((candidate) => candidate.id === id);
  if (comment === undefined) return ignored(`the comment ${id} was deleted`);
  const self = valueIn(await forge.whoami());
  const isSelf = isSamePerson(comment.author, self.login);
  if (comment.bot || (isSelf && (self.account === 'own' || new RunRows(database).isOwn(id))))
    return ignored(`"${comment.author}" is a program; commands from programs are ignored`);
  const line = written.split(/[\r\n]/, 1)[0] ?? '';
  rows.receive({ comment: id, number, login: comment.author, command: line.slice(0, REASON_MAX), at: clock.now() });
  const answer = new CommandReply(parts, rows, { comment, number });
  const permission = valueIn(await forge.permission(comment.author));
  const mayWrite = permission === 'admin' || permission === 'write';
  if (!mayWrite) return answer.refuse(`${comment.author} needs write permission to give commands to Pawl`, 'no-permission');
  if (isSelf)
    return answer.refuse('Pawl itself uses this account, so commands in its comments are ignored; use "pawl decide" or the dashboard');
  if (comment.edited || comment.body !== written) return answer.refuse('the comment was edited; write a new one');
  if (settings.mayCommand?.(comment.author) === false)
    return answer.refuse(`the settings do not accept commands of "${comment.author}" (forge.commands)`);
  if ('problem' in command) return answer.refuse(command.problem, 'invalid');
  await answer.react('eyes');
  const caller: LoginIdentity = {
    kind: 'person',
    name: personAt(forge.name, comment.author),
    scopes: new Set(LOGIN_SCOPES),
    via: 'comment',
  };
  return answer.finish(await carryOut(parts, rows, { command, comment, number, caller }));
}

async function carryOut(parts: CommandParts, rows: CommandRows, received: ReceivedCommand): Promise<CommandResult> {
  try {
    return await actOnCommand(parts, rows, received);
  } catch (error) {
    if (!isEngineError(error) || isTemporary(error)) throw error;
    if (error.code === 'SIGNATURE_REQUIRED') return { outcome: 'unsupported', reason: error.message };
    return { outcome: 'refused', reason: error.message };
  }
}

/** The reply to one command: emoji reactions, a short comment, and the record of it. */
class CommandReply {
  private readonly parts: CommandParts;
  private readonly rows: CommandRows;
  private readonly received: { readonly comment: ForgeComment; readonly number: number };

  constructor(parts: CommandParts, rows: CommandRows, received: { readonly comment: ForgeComment; readonly number: number }) {
    this.parts = parts;
    this.rows = rows;
    this.received = received;
  }

  /** Adds an emoji reaction. Nothing depends on it, so its failure is ignored. */
  async react(reaction: CommentReactionRequest['reaction']): Promise<void> {
    const { id } = this.received.comment;
    await this.parts.forge.react({ id, reaction }, `command/${id}/${reaction}`);
  }

  async refuse(reason: string, why: 'refused' | 'no-permission' | 'invalid' = 'refused'): Promise<DeliveryResult> {
    const { comment, number } = this.received;
    const { id, author } = comment;
    const before = this.rows.refusals(author, { number, since: this.parts.clock.now() - HOUR_MS });
    this.rows.end(id, { outcome: 'refused', reason });
    if (before.refused >= REFUSED_MAX) return ignored(reason);
    await this.react(why === 'invalid' ? 'confused' : '-1');
    if (why !== 'no-permission' || before.answered === 0) await this.reply(`Not done: ${reason}`);
    return ignored(reason);
  }

  async finish(result: CommandResult): Promise<DeliveryResult> {
    const { id } = this.received.comment;
    if (result.outcome === 'refused') return this.refuse(result.reason);
    this.rows.end(id, result);
    await this.react(result.outcome === 'done' ? '+1' : 'confused');
    if (result.reason !== undefined) await this.reply(result.reason);
    return result.outcome === 'done' ? { status: 'done', run: result.run } : ignored(result.reason);
  }

  private async reply(text: string): Promise<void> {
    const { comment, number } = this.received;
    const body = inertMarkdown(text, REASON_MAX);
    const written = await this.parts.forge.comment({ number, body }, `command/${comment.id}/reply`);
    if (written.result === 'ok') this.rows.replied(comment.id, written.value.id);
  }
}

function ignored(reason: string): DeliveryResult {
  return { status: 'ignored', reason };
}
