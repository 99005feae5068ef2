// Owns the output of the commands for agents as text: the open steps with the exact commands to report them or to ask, or why
// no step is open. The same run in the same state prints the same bytes.
//
// - Each step is complete: an agent that has forgotten everything else can do it and report it.
// - The commands work in a POSIX shell exactly as printed.
// - In a pipe the instructions are printed unchanged; on a terminal, control characters are removed.

import { type IdleRun, type OpenWork, resultLines, stepName, stepNames } from '../../attended/attended-run.ts';
import { dispatchPrompt, dispatchReason } from '../../attended/dispatch.ts';
import type { ProjectRun } from '../../attended/open-runs.ts';
import { ASSUMED, newWork, nothingLeftText, PENDING, type Receipt, type Reply, workIn } from '../../attended/submission.ts';
import { waitText } from '../../attended/wait-words.ts';
import { waitLines } from '../../attended/waits.ts';
import { omitUndefined } from '../../base/fields.ts';
import { shellWord } from '../../base/shell-word.ts';
import { parsePath } from '../../definition/address.ts';
import { isDone } from '../../definition/run-status.ts';
import type { TreeWait } from '../../engine/run-tree.ts';
import { quotedAfterFirst } from '../../steps/instructions/quotes.ts';
import type { Shell } from '../shell.ts';
import { oneLine, plain } from '../terminal.ts';

/** The reply to an agent as lines of text. */
export function replyLines(shell: Shell, reply: Reply): string[] {
  const { run, receipt } = reply;
  if (receipt?.kind === 'assumed') return [ASSUMED];
  const verdict = receipt === undefined ? [] : receiptLines(shell, receipt);
  if (reply.only === true && workIn(run).length === 0) return [...verdict, nothingLeftText(reply)];
  if (run.kind !== 'work') return [...verdict, idleText(run), ...askedOf(shell, run)];
  const shown = newWork(reply);
  const lines = shown.flatMap((work, index) => [
    ...(index === 0 ? [] : ['', '', '']),
    ...(work.dispatch === undefined ? workLines(shell, work) : dispatchLines(shell, work, run.id)),
  ]);
  const gap = verdict.length === 0 || lines.length === 0 ? [] : [''];
  return [...verdict, ...gap, ...lines, ...othersLines(shell, { shown, work: run.work })];
}

function receiptLines(shell: Shell, receipt: Receipt): string[] {
  if (receipt.kind === 'asked' || receipt.kind === 'assumed') return [];
  if (receipt.kind === 'pending') return [PENDING];
  const attempt = `${nameOf(receipt)} (attempt ${receipt.attempt})`;
  const verdict =
    receipt.kind === 'accepted'
      ? `Accepted: ${attempt}.`
      : `${VERDICTS[receipt.kind]}: ${attempt}: ${outside(shell, quotedAfterFirst(receipt.message))}`;
  return [receipt.repeated ? `${verdict} (This report was already recorded.)` : verdict];
}

/** The questions that the run asks people, with the command to answer. */
export function askedOf(shell: Shell, run: IdleRun): string[] {
  const waits = run.kind === 'waiting' ? run.waits : [];
  return waits
    .flatMap((wait) => waitLines({ ...wait, ...omitUndefined({ command: wait.command && shell.pasteable(wait.command) }) }))
    .map((line) => outside(shell, line));
}

const VERDICTS = { refused: 'Not accepted', failed: 'Given up' } as const;

/** The open attended runs of a project, one per line. */
export function openRunLines(open: readonly ProjectRun[]): string[] {
  return open.map(({ run, holder }) => {
    const steps = stepNames(workIn(run))
      .map((name) => `"${oneLine(name)}"`)
      .join(', ');
    const state = run.kind === 'work' ? `open: ${steps}` : run.kind;
    return `  ${run.id}  ${oneLine(run.workflow)}  ${state}${holder === 'other' ? ' (another session works on it)' : ''}`;
  });
}

/** One line with the reason why no step is open for the agent. */
export function idleText(run: IdleRun): string {
  const { id } = run;
  switch (run.kind) {
    case 'ended':
      return `Run ${id} ${isDone(run.status) ? 'is' : 'ended'} ${run.status}${problemText(run.problem)}; there is nothing left to do.`;
    case 'halted':
      return `Run ${id} ${run.status} and waits for a person to decide how it continues ("pawl resume ${id}")${problemText(run.problem)}`;
    case 'executing':
      return `Run ${id} is executing in another process; "pawl next ${id}" shows what comes next.`;
    case 'abandoned':
      return `Run ${id} was interrupted when its process ended; "pawl resume ${id}" continues it.`;
    case 'waiting':
      return `Run ${id} waits ${[...new Set(run.waits.map(waitPhrase))].join(', and ')}; there is nothing for you to do until then.`;
  }
}

function problemText(problem: string | undefined): string {
  return problem === undefined ? '' : `: ${oneLine(problem)}`;
}

/** The object of "waits", with the command that ends the wait. */
function waitPhrase({ run, wait }: TreeWait): string {
  const place = wait.step === undefined ? undefined : `"${wait.step}"`;
  const until = wait.due === undefined ? '' : ` until ${new Date(wait.due).toISOString()}`;
  const subject = oneLine(waitText(wait, place));
  const command = COMMANDS[wait.kind];
  if (command !== undefined) return `for ${subject} ("pawl ${command} ${run}")`;
  if (wait.kind === 'signal' || wait.kind === 'child') return `for ${subject}`;
  if (wait.kind === 'delay') return `at ${oneLine(place ?? '')}${until}, then for "pawl resume ${run}"`;
  return `for ${subject}${until}${wait.kind === 'capacity' ? `; "pawl resume ${run}" tries again` : ''}`;
}

/** The command with which a person ends a wait. */
const COMMANDS: Readonly<Partial<Record<TreeWait['wait']['kind'], string>>> = {
  human: 'inbox',
  answer: 'answer',
  ...{ unknown: 'resume', escalation: 'resume', pause: 'resume' },
};

/** Text from outside, unchanged in a pipe; on a terminal without control characters. */
function outside(shell: Shell, text: string): string {
  return shell.display.isTerminal ? plain(text) : text;
}

/** How an agent starts a sub-agent for a step: the kind of agent, the prompt with the token, and the size of its answer. */
export function dispatchOf(shell: Shell, { run, token, dispatch }: OpenWork) {
  if (dispatch === undefined) return undefined;
  const format = shell.format === 'xml' ? ' --format xml' : '';
  const command = shell.pasteable(`pawl next ${run} ${tokenOption(token)}${format}`);
  const { agent, returns } = dispatch;
  return { agent, prompt: dispatchPrompt(dispatch, `run \`${command}\``), returns, reason: dispatchReason(dispatch) };
}

/** Work for a sub-agent, addressed to the agent that starts it. */
function dispatchLines(shell: Shell, work: OpenWork, root: string): string[] {
  const { prompt = '', reason = '' } = dispatchOf(shell, work) ?? {};
  return [headerOf(shell, work), '', reason, '', `  ${prompt}`, '', `When it has returned, run: ${shell.pasteable(`pawl next ${root}`)}`];
}

function workLines(shell: Shell, work: OpenWork): string[] {
  const { body, report, people } = work.parts;
  const results = [...resultLines(work), ...(report === undefined ? [] : [outside(shell, report)])];
  return [
    headerOf(shell, work),
    '',
    outside(shell, body),
    '',
    '## How to report',
    ...results,
    ...commandLines(shell, work),
    ...(people === undefined ? [] : ['', outside(shell, people)]),
  ];
}

function headerOf(shell: Shell, { number, step, path, attempt, run, due }: OpenWork): string {
  const which = `Step${number === undefined ? '' : ` ${number}`}: ${nameOf({ step, path })}`;
  const until = due === undefined ? [] : [`due ${new Date(due).toISOString()}`];
  return [`${which} (attempt ${attempt})`, `run ${run}`, ...until].join(` ${shell.symbol('dot')} `);
}

function nameOf({ step, path }: Pick<OpenWork, 'step' | 'path'>): string {
  const name = stepName(step);
  return oneLine(name === step ? step : `${name}, item ${parsePath(path)?.key ?? ''}`);
}

const RESULT_FILE = 'result.json';
const EXAMPLE_QUESTIONS = '[{"question": "Which one?", "options": ["this", "that"]}]';

function needsResult({ schema, kind, reviews, args = {} }: OpenWork): boolean {
  return schema !== undefined || kind === 'generate' || reviews === true || Object.values(args).some(({ required }) => required);
}

/** The token as an option in one word, because a token may begin with dashes. */
export function tokenOption(token: string): string {
  return `--token=${token}`;
}

/** The commands with which an agent reports a step or asks about it. */
export function commandsFor(
  shell: Shell,
  work: OpenWork,
): { readonly done: string; readonly fail: string; readonly ask?: string; readonly assume: string } {
  const { run, token, mayAsk } = work;
  const format = shell.format === 'xml' ? ' --format xml' : '';
  const command = (verb: string, more = ''): string => shell.pasteable(`pawl ${verb} ${run} ${tokenOption(token)}${more}${format}`);
  return {
    done: command('done', needsResult(work) ? ` --result @${RESULT_FILE}` : ''),
    fail: command('fail', ` --reason ${shellWord('why it cannot be done')}`),
    assume: command('assume', ` --severity SHOULD --question ${shellWord('Which one?')} --assumed ${shellWord('this')}`),
    ...(mayAsk ? { ask: command('ask', ` --questions ${shellWord(EXAMPLE_QUESTIONS)}`) } : {}),
  };
}

function commandLines(shell: Shell, work: OpenWork): string[] {
  const { done, fail, ask, assume } = commandsFor(shell, work);
  return [
    needsResult(work)
      ? `When it is done, with the result as JSON in ${RESULT_FILE}:`
      : 'When it is done (add a result with --result JSON, --result @FILE, or --result - for standard input):',
    `  ${done}`,
    'When it cannot be done:',
    `  ${fail}`,
    'To guess what only a person can decide, and go on (MUST if a wrong guess does harm, else SHOULD or COULD):',
    `  ${assume}`,
    ...(ask === undefined ? [] : ['To ask the person you work for, save your work first, then send 1 to 3 questions:', `  ${ask}`]),
  ];
}

function othersLines(shell: Shell, { shown, work }: { readonly shown: readonly OpenWork[]; readonly work: readonly OpenWork[] }): string[] {
  const open = work.length - shown.length;
  const run = work[0]?.run ?? '';
  if (open > 0) {
    const isOne = open === 1;
    return [
      ...(shown.length === 0 ? [] : ['']),
      `${open} ${isOne ? 'step that was handed out before is' : 'steps that were handed out before are'} still open; "${shell.pasteable(`pawl next ${run}`)}" prints ${isOne ? 'it' : 'them'}.`,
    ];
  }
  if (work.length < 2) return [];
  return ['', `These ${work.length} steps are independent: report each with its own token, in any order.`];
}
