// Owns the reply to an agent as XML: the instructions in <DO>, the command to run afterwards in <NEXT>, and all possible
// commands in <INVOKE_AFTER>. It has the same content as the text.
//
// - Blocks that the author of a step wrote are printed unchanged. Everything else is escaped, so that text from outside can
//   neither close an element nor add one.

import { type OpenWork, resultLines } from '../../attended/attended-run.ts';
import { ASSUMED, newWork, nothingLeftText, type Receipt, type Reply, workIn } from '../../attended/submission.ts';
import { commandElement, escapeXml, nestedElement, textElement, type XmlAttributes } from '../../base/xml.ts';
import type { Shell } from '../shell.ts';
import { plain } from '../terminal.ts';
import { askedOf, commandsFor, dispatchOf, idleText } from './rendering.ts';

/** The reply to an agent, as one element. */
export function replyXml(shell: Shell, reply: Reply): string {
  const { run, receipt } = reply;
  const shown = newWork(reply);
  const isOver = reply.only === true && shown.length === 0;
  const others = workIn(run).length - shown.length;
  const inside = [
    ...verdictOf(receipt),
    ...shown.map((work) => (work.dispatch === undefined ? stepOf(shell, work) : dispatchXml(shell, work, run.id))),
    ...(isOver && receipt?.kind !== 'assumed' ? [element('standing', {}, nothingLeftText(reply))] : idleElements(shell, run)),
    ...(others > 0 ? [command('open', shell.pasteable(`pawl next ${run.id} --format xml`), { count: others })] : []),
  ];
  return nested('workflow', { name: run.workflow, run: run.id }, inside);
}

function idleElements(shell: Shell, run: Reply['run']): string[] {
  if (run.kind === 'work') return [];
  return [element('standing', {}, idleText(run)), ...askedOf(shell, run).map((line) => element('asked', {}, line))];
}

function verdictOf(receipt: Receipt | undefined): string[] {
  if (receipt?.kind === 'assumed') return [element('recorded', {}, ASSUMED)];
  if (receipt === undefined || receipt.kind === 'asked' || receipt.kind === 'pending') return [];
  const { step, path, attempt, repeated } = receipt;
  const accepted = receipt.kind === 'accepted';
  return [element('verdict', { step, path, attempt, accepted, repeated }, accepted ? '' : receipt.message)];
}

function dispatchXml(shell: Shell, work: OpenWork, root: string): string {
  const { step, run, item } = work;
  const { agent, returns, prompt = '', reason = '' } = dispatchOf(shell, work) ?? {};
  return nested('subagent_dispatch', { agent, step, run, item, returns }, [
    escapeXml(plain(reason)),
    element('prompt', {}, prompt),
    command('orchestrator_action', shell.pasteable(`pawl next ${root} --format xml`)),
  ]);
}

function stepOf(shell: Shell, work: OpenWork): string {
  const { number, step, path, run, attempt, role, item, due, parts } = work;
  const { report, people, loop } = parts;
  const { done, fail, ask, assume } = commandsFor(shell, work);
  const commands = [
    command('if_pass', done),
    command('if_fail', fail),
    command('to_assume', assume),
    ...(ask === undefined ? [] : [command('if_question', ask)]),
  ];
  const until = due === undefined ? undefined : new Date(due).toISOString();
  const { iteration, round, blocks } = loop ?? {};
  const position = { number, name: step, path, run, attempt, iteration, round, blocks: blocks?.join(' ') };
  return nested('step', { ...position, role, item, due: until }, [
    instructionsOf(parts),
    ...[...resultLines(work), ...(report === undefined ? [] : [report])].map((line) => element('RESULT', {}, line)),
    command('NEXT', done),
    nested('INVOKE_AFTER', {}, commands),
    ...(people === undefined ? [] : [element('PEOPLE', {}, people)]),
  ]);
}

/** The instructions, in which text is escaped and blocks of the author are not. */
function instructionsOf({ body, pieces = [{ kind: 'text', text: body }] }: OpenWork['parts']): string {
  const inside = pieces.map((piece) => (piece.kind === 'block' ? plain(piece.xml) : escapeXml(plain(piece.text))));
  return `<DO>\n${inside.join('\n')}\n</DO>`;
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
