// Starts a workflow by a command in a comment that the workflow declares: `/review depth=2` on the first line.
//
// FT7. A comment starts a workflow once, if its author may start it and it is as it was written: a comment that was edited or
//      deleted, or that a program or Pawl itself wrote, starts nothing. The text after the command becomes values of parameters.

import { isJsonObject } from '../../base/json.ts';
import { startIn, type WrittenStart } from '../../definition/trigger/start-command.ts';
import type { StoredDelivery } from '../events/deliveries.ts';
import type { ForgeEventSettings } from '../events/event-settings.ts';
import type { ServedProject } from '../services.ts';
import { valueIn } from './forge-unavailable.ts';
import { isWrittenByPerson } from './named-start.ts';
import { type ReceivedEvent, sourceOf } from './received-event.ts';

/** A workflow that a comment starts, and the parameters of the command. */
interface CommandedStart {
  readonly workflow: string;
  readonly start: WrittenStart;
}

/** The workflow that a command in a comment starts; a string says why it starts nothing. Undefined if it is no such command. */
export async function commandedBy(
  { settings, project }: { readonly settings: ForgeEventSettings; readonly project: ServedProject },
  delivery: StoredDelivery,
  { event, payload }: ReceivedEvent,
): Promise<CommandedStart | string | undefined> {
  const { comment } = payload;
  if (event.event !== 'issue_comment.created' || !isJsonObject(comment) || !isWrittenByPerson(comment)) return undefined;
  const written = typeof comment.body === 'string' ? comment.body : '';
  const start = startIn(written);
  if (start === undefined) return undefined;
  const found = ((await project.commanded?.()) ?? []).filter(({ command }) => command === start.command);
  const [first, second] = found;
  if (first === undefined) return undefined;
  if (second !== undefined) return `"${first.workflow}" and "${second.workflow}" both have the command /${start.command}; rename one`;
  const refusal =
    commandRefusal(settings, event.actor) ?? (sourceOf(delivery) === 'manual' ? undefined : await commentChange(settings, event, written));
  return refusal ?? { workflow: first.workflow, start };
}

/** Why the settings do not accept commands of a person. */
function commandRefusal({ surface }: ForgeEventSettings, actor: string | undefined): string | undefined {
  if (surface === undefined) return undefined;
  if (!surface.commands) return 'commands in comments are switched off (forge.commands)';
  const { mayCommand } = surface;
  if (mayCommand === undefined) return undefined;
  if (actor === undefined) return 'the forge does not say who wrote the command';
  return mayCommand(actor) ? undefined : `the settings do not accept commands of "${actor}" (forge.commands)`;
}

/** Why a comment no longer counts. */
async function commentChange({ forge }: ForgeEventSettings, event: ReceivedEvent['event'], written: string): Promise<string | undefined> {
  const { comment: id, pr, issue } = event;
  const now = valueIn(await forge.comments(pr ?? issue ?? 0)).find((comment) => comment.id === id);
  if (now === undefined) return `the comment ${id} was deleted`;
  return now.bot || now.edited || now.body !== written ? `the comment ${id} was edited; write a new one` : undefined;
}
