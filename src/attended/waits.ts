// Explains waits to people: the question, its options, who may answer, and the command for it. It reads a store and
// changes nothing.

import { omitUndefined } from '../base/fields.ts';
import { shellWord } from '../base/shell-word.ts';
import { shortText } from '../base/short-text.ts';
import { openApprovals } from '../engine/request/approvals.ts';
import { questionsOf } from '../engine/request/open-steps.ts';
import type { TreeWait } from '../engine/run-tree.ts';
import { inOneLine, quotedAfterFirst } from '../steps/instructions/quotes.ts';
import type { Store } from '../store/store.ts';
import { commandFor } from './wait-command.ts';

/** A wait, with the questions that people are asked. */
export interface ExplainedWait extends TreeWait {
  readonly asks: readonly WaitQuestion[];
  /** The groups whose members may decide; absent if everybody with the right to decide may. */
  readonly from?: readonly string[];
  /** How many of them must agree, if more than one. */
  readonly count?: number;
  /** Only a signature of an enrolled key counts. */
  readonly signed?: true;
  /** The command with which a person ends the wait; absent if only time or another run does. */
  readonly command?: string;
}

/** A question in the form that an agent shows to its person. */
interface WaitQuestion {
  readonly prompt: string;
  readonly options: readonly string[];
}

/** How many characters of a question an agent gets; "pawl inbox" shows all of it. */
const PROMPT_MAX = 600;
const LABEL_MAX = 80;

/** Adds to each wait its questions, who may answer them, and the command for it. */
export async function explainWaits(store: Store, waits: readonly TreeWait[]): Promise<readonly ExplainedWait[]> {
  const byRun = [...Map.groupBy(waits, ({ run }) => run)].map(([run, ofRun]) => explainRun(store, run, ofRun));
  const all = (await Promise.all(byRun)).flat();
  return waits.map((wait) => all.find((explained) => explained.wait === wait.wait) as ExplainedWait);
}

async function explainRun(store: Store, run: string, waits: readonly TreeWait[]): Promise<readonly ExplainedWait[]> {
  const has = (kind: TreeWait['wait']['kind']): boolean => waits.some(({ wait }) => wait.kind === kind);
  const [approvals, asked, halt] = await Promise.all([
    has('human') ? openApprovals({ store }, run) : [],
    has('answer') ? questionsOf({ store }, run) : [],
    has('escalation') ? store.load(run).then(({ state }) => state.halt) : undefined,
  ]);
  return waits.map(({ wait }) => {
    const approval = wait.kind === 'human' ? approvals.find(({ path }) => path === wait.path) : undefined;
    const questions = wait.kind === 'answer' ? asked.find(({ path }) => path === wait.path) : undefined;
    const which = questions !== undefined && asked.length > 1 ? ` --step ${shellWord(questions.path)}` : '';
    // A wait for a child run is ended by the child's own waits.
    const ends = wait.kind === 'child' ? undefined : commandFor(run, wait, { approval, several: approvals.length > 1, halt });
    const command = ends === undefined ? undefined : `${ends}${which}`;
    const asks =
      approval === undefined
        ? (questions?.questions ?? []).map(({ question, options }) => toQuestion(question, options))
        : [toQuestion(approval.question.prompt, approval.question.options)];
    const { from, count } = approval?.question ?? {};
    const signed = approval?.signed === true || questions?.signed === true ? (true as const) : undefined;
    return { run, wait, asks, ...omitUndefined({ from, count: count === 1 ? undefined : count, signed, command }) };
  });
}

function toQuestion(prompt: string, options: readonly { readonly label: string }[]): WaitQuestion {
  return { prompt: shortText(prompt, PROMPT_MAX), options: options.map(({ label }) => shortText(label, LABEL_MAX)) };
}

/** Lines with the questions of a wait, who may answer, and the command to run. */
export function waitLines({ wait, asks, from, count, signed, command }: ExplainedWait): string[] {
  const where = wait.step === undefined ? '' : ` at step "${wait.step}"`;
  const questions = asks.map(({ prompt, options }) => {
    const labels = options.length === 0 ? '' : ` Options: ${options.map((label) => `"${inOneLine(label)}"`).join(', ')}.`;
    return `- Asked${where}: ${quotedAfterFirst(prompt)}${labels}`;
  });
  const message = wait.kind === 'checks' || wait.kind === 'escalation' ? wait.message : undefined;
  const outside = message === undefined ? [] : [`- Pending${where}: ${quotedAfterFirst(message)}`];
  const lines = [...questions, ...outside];
  if (command === undefined) return lines;
  const who = [
    from === undefined ? 'A person' : `A member of ${from.join(' or ')}`,
    ...(count === undefined ? [] : [`(${count} of them must agree)`]),
    ...(signed === true ? ['with an enrolled key'] : []),
  ].join(' ');
  return [...lines, `- ${who} runs, in their own terminal: ${command}`];
}
