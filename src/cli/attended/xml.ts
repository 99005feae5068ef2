// Owns the reply to an agent as XML, for agents that were taught to read it: the instructions in <DO>, the command to
// run afterwards in <NEXT>, and all possible commands in <INVOKE_AFTER>. It contains what the text contains.
//
// - Text from outside is escaped, so that it can neither close an element nor pose as one.

import { NOTHING_LEFT, type OpenWork, resultLines } from '../../attended/attended-run.ts';
import { newWork, type Receipt, type Reply, workIn } from '../../attended/submission.ts';
import { pasteable } from '../caller.ts';
import type { Shell } from '../shell.ts';
import { plain } from '../terminal.ts';
import { askedOf, commandsFor, idleText } from './rendering.ts';

/** The reply to an agent, as one element. */
export function replyXml(shell: Shell, reply: Reply): string {
  const { run, receipt } = reply;
  const shown = newWork(reply);
  const isOver = reply.only === true && shown.length === 0;
  const others = workIn(run).length - shown.length;
  const inside = [
    ...verdictOf(receipt),
    ...shown.map((one) => stepOf(shell, one)),
    ...(isOver ? [element('standing', {}, NOTHING_LEFT)] : standingOf(shell, run)),
    ...(others > 0 ? [command('open', pasteable(shell, `pawl next ${run.id} --format xml`), { count: others })] : []),
  ];
  return nested('workflow', { name: run.workflow, run: run.id }, inside);
}

function standingOf(shell: Shell, run: Reply['run']): string[] {
  if (run.kind === 'work') return [];
  return [element('standing', {}, idleText(run)), ...askedOf(shell, run).map((line) => element('asked', {}, line))];
}

function verdictOf(receipt: Receipt | undefined): string[] {
  if (receipt === undefined || receipt.kind === 'asked' || receipt.kind === 'pending') return [];
  const { step, path, attempt, repeated } = receipt;
  const accepted = receipt.kind === 'accepted';
  return [element('verdict', { step, path, attempt, accepted, repeated }, accepted ? '' : receipt.message)];
}

function stepOf(shell: Shell, work: OpenWork): string {
  const { number, step, path, run, attempt, role, item, due, parts } = work;
  const { body, report, people } = parts;
  const { done, fail, ask } = commandsFor(shell, work);
  const ways = [command('if_pass', done), command('if_fail', fail), ...(ask === undefined ? [] : [command('if_question', ask)])];
  const until = due === undefined ? undefined : new Date(due).toISOString();
  return nested('step', { number, name: step, path, run, attempt, role, item, due: until }, [
    `<DO>\n${escaped(body)}\n</DO>`,
    ...[...resultLines(work), ...(report === undefined ? [] : [report])].map((line) => element('RESULT', {}, line)),
    command('NEXT', done),
    nested('INVOKE_AFTER', {}, ways),
    ...(people === undefined ? [] : [element('PEOPLE', {}, people)]),
  ]);
}

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

function nested(name: string, attributes: Attributes, inside: readonly string[]): string {
  return [`<${name}${attributesOf(attributes)}>`, ...inside, `</${name}>`].join('\n');
}

function element(name: string, attributes: Attributes, text: string): string {
  return `<${name}${attributesOf(attributes)}>${escaped(text)}</${name}>`;
}

/** A command that runs as it is printed: nothing in it is escaped, whoever copies it. */
function command(name: string, text: string, attributes: Attributes = {}): string {
  const writable = writableText(text);
  if (!/[&<>]/.test(writable)) return `<${name}${attributesOf(attributes)}>${writable}</${name}>`;
  return `<${name}${attributesOf(attributes)}><![CDATA[${writable.replaceAll(']]>', ']]]]><![CDATA[>')}]]></${name}>`;
}

function attributesOf(attributes: Attributes): string {
  return Object.entries(attributes)
    .flatMap(([name, value]) => (value === undefined ? [] : [` ${name}="${escaped(String(value)).replace(/\s+/g, ' ')}"`]))
    .join('');
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escaped, without control characters and the others that XML cannot contain. Quotes are escaped for attributes. */
function escaped(text: string): string {
  return writableText(text).replace(/[&<>"]/g, (letter) => ESCAPES[letter] as string);
}

function writableText(text: string): string {
  return plain(text)
    .toWellFormed()
    .replace(/[\ufffe\uffff]/g, '\ufffd');
}
