// Owns the reply to an agent as XML, for agents that were taught to read it: the instructions in <DO>, the command to
// run afterwards in <NEXT>, and all possible commands in <INVOKE_AFTER>. It contains what the text contains.
//
// - Text from outside is escaped, so that it can neither close an element nor pose as one.

import { NOTHING_LEFT, type OpenWork, resultLines } from '../../attended/attended-run.ts';
import { newWork, type Receipt, type Reply, workIn } from '../../attended/submission.ts';
import { commandElement, escapeXml, nestedElement, textElement, type XmlAttributes } from '../../base/xml.ts';
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
    `<DO>\n${escapeXml(plain(body))}\n</DO>`,
    ...[...resultLines(work), ...(report === undefined ? [] : [report])].map((line) => element('RESULT', {}, line)),
    command('NEXT', done),
    nested('INVOKE_AFTER', {}, ways),
    ...(people === undefined ? [] : [element('PEOPLE', {}, people)]),
  ]);
}

function nested(name: string, attributes: XmlAttributes, inside: readonly string[]): string {
  return nestedElement(name, plainValues(attributes), inside);
}

function element(name: string, attributes: XmlAttributes, text: string): string {
  return textElement(name, plainValues(attributes), plain(text));
}

function command(name: string, text: string, attributes: XmlAttributes = {}): string {
  return commandElement(name, plain(text), plainValues(attributes));
}

function plainValues(attributes: XmlAttributes): XmlAttributes {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, typeof value === 'string' ? plain(value) : value]));
}
