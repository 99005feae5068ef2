// Owns the XML that an agent is told its work in, for agents that were taught to read it: the actions in <DO>, the
// command that goes on in <NEXT>, and the ways from here in <INVOKE_AFTER>. It says what the text says.
//
// A4. Text from outside is escaped, so that it can neither close an element nor pose as one.

import { pasteable } from '../caller.ts';
import type { Shell } from '../shell.ts';
import { plain } from '../terminal.ts';
import { commandsFor, newWork, resultLines, type Told } from './attended.ts';
import { type OpenWork, standingText } from './standing.ts';

/** What the agent has to know now, as one element. */
export function agentXml(shell: Shell, told: Told): string {
  const { state, work } = told.standing;
  const shown = newWork(told);
  const inside = [
    ...verdictOf(told),
    ...shown.map((one) => stepOf(shell, one)),
    ...(work.length === 0 ? [element('standing', {}, standingText(told.standing))] : []),
    ...(work.length > shown.length
      ? [element('open', { count: work.length - shown.length }, pasteable(shell, `pawl next ${state.id} --format xml`))]
      : []),
  ];
  return nested('workflow', { name: state.workflow, run: state.id }, inside);
}

function verdictOf({ verdict, gaveUp = false }: Told): string[] {
  if (verdict === undefined) return [];
  const { step, path, attempt, accepted, repeated, message = '' } = verdict;
  return [element('verdict', { step, path, attempt, accepted: accepted && !gaveUp, repeated }, message)];
}

function stepOf(shell: Shell, work: OpenWork): string {
  const { number, step, path, run, attempt, role, item, due, prompt } = work;
  const { done, fail, ask } = commandsFor(shell, work);
  const ways = [
    element('if_pass', {}, done),
    element('if_fail', {}, fail),
    ...(ask === undefined ? [] : [element('if_question', {}, ask)]),
  ];
  const until = due === undefined ? undefined : new Date(due).toISOString();
  return nested('step', { number, name: step, path, run, attempt, role, item, due: until }, [
    `<DO>\n${escaped(prompt)}\n</DO>`,
    ...resultLines(work).map((line) => element('RESULT', {}, line)),
    element('NEXT', {}, done),
    nested('INVOKE_AFTER', {}, ways),
  ]);
}

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

function nested(name: string, attributes: Attributes, inside: readonly string[]): string {
  return [`<${name}${attributesOf(attributes)}>`, ...inside, `</${name}>`].join('\n');
}

function element(name: string, attributes: Attributes, text: string): string {
  return `<${name}${attributesOf(attributes)}>${escaped(text)}</${name}>`;
}

function attributesOf(attributes: Attributes): string {
  return Object.entries(attributes)
    .flatMap(([name, value]) => (value === undefined ? [] : [` ${name}="${escaped(String(value)).replace(/\s+/g, ' ')}"`]))
    .join('');
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Without what steers a terminal, and the other letters that no XML may have. */
function escaped(text: string): string {
  const writable = plain(text)
    .toWellFormed()
    .replace(/[\ufffe\uffff]/g, '\ufffd');
  return writable.replace(/[&<>"]/g, (letter) => ESCAPES[letter] as string);
}
