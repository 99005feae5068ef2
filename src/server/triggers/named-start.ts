// Reads the name of a workflow that a person wants to start: the label `workflow:<name>`, or a comment with `@<bot>
// workflow:<name>` on a separate line, outside of code and quotations. An edited comment does not count.

import { fieldOf, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { type ReceivedEvent, textIn } from './received-event.ts';

const LABEL = /^workflow:\s*([\w.-]+)$/;

/** The workflow that an event names, if it names one. `bot` is the login that commands are addressed to. */
export function namedIn({ event: { event, label }, payload }: ReceivedEvent, bot: string): string | undefined {
  if (event === 'issues.labeled' || event === 'pull_request.labeled') return LABEL.exec(label ?? '')?.[1];
  return event === 'issue_comment.created' ? commandIn(payload.comment, bot) : undefined;
}

/** Whether a comment may name a workflow, so that the login of the bot is needed. */
export function mayNameWorkflow({ event: { event }, payload }: ReceivedEvent): boolean {
  return event === 'issue_comment.created' && /@\S+\s+workflow:/.test(bodyOf(payload.comment));
}

/** Whether a person wrote a comment and it was not edited. Comments of programs, and of Pawl under a person's login, do not count. */
export function isWrittenByPerson(comment: JsonObject): boolean {
  const isProgram = fieldOf(comment.user, 'type') === 'Bot';
  return comment.edited !== true && !isProgram && !bodyOf(comment).includes('<!-- pawl:');
}

function commandIn(comment: Json | undefined, bot: string): string | undefined {
  if (!isJsonObject(comment) || !isWrittenByPerson(comment)) return undefined;
  const name = bot.replace(/\[bot\]$/, '').toLowerCase();
  const lines = bodyOf(comment)
    .replace(/^ {0,3}(```|~~~)[\s\S]*?(?:^ {0,3}\1|$(?![\s\S]))/gm, '')
    .split(/\r?\n/);
  for (const line of lines) {
    const [, called, workflow] = /^ {0,3}@([\w.-]+(?:\[bot\])?)[ \t]+workflow:[ \t]*([\w.-]+)[ \t]*$/.exec(line) ?? [];
    if (called?.replace(/\[bot\]$/, '').toLowerCase() === name) return workflow;
  }
  return undefined;
}

function bodyOf(comment: Json | undefined): string {
  return textIn(comment, 'body') ?? '';
}
