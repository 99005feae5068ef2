// Owns what the agent that called Pawl is told: one step at a time, with the exact commands to report it, to give it up
// and to ask. The same run in the same state prints the same bytes.
//
// A1. Each block stands alone: an agent that has forgotten everything else can do it and report it.
// A2. The commands work as they are printed, in a POSIX shell.
// A3. Nothing of the instructions is changed in a pipe; on a terminal they cannot steer it.

import type { AttendedRun, OpenWork } from '../../attended/attended-run.ts';
import { newWork, type Receipt, type Reply, workIn } from '../../attended/submission.ts';
import type { TreeWait } from '../../engine/run-tree.ts';
import { isDone } from '../../kernel/run-state.ts';
import type { Store } from '../../store/store.ts';
import { pasteable, shellWord } from '../caller.ts';
import type { Shell } from '../shell.ts';
import { exitOf, exitOfWaits } from '../status.ts';
import { readStory } from '../story/story.ts';
import { oneLine, plain } from '../terminal.ts';

const EXIT_REFUSED = 1;
const EXIT_WAITING = 3;

/** Prints the reply to an agent, and returns the exit code. */
export async function printReply(shell: Shell, store: Store, reply: Reply): Promise<number> {
  const { run } = reply;
  if (shell.wantsJson) {
    const verdict = verdictRow(reply.receipt);
    shell.result(
      { ...(await readStory(store, run.id)), handouts: workIn(run).map(workRow), ...(verdict === undefined ? {} : { verdict }) },
      () => [],
    );
  } else if (shell.format === 'xml') {
    const { replyXml } = await import('./xml.ts');
    shell.print(replyXml(shell, reply));
  } else for (const line of replyLines(shell, reply)) shell.print(line);
  return exitOfReply(reply);
}

/** A refused report exits with 1, unless the end of the run says more. */
function exitOfReply({ run, receipt }: Reply): number {
  const exit = exitOfRun(run);
  return receipt?.kind === 'refused' && (exit === 0 || exit === EXIT_WAITING) ? EXIT_REFUSED : exit;
}

/** The exit code of a command that leaves the agent with a run like this: 0 when something is open for it. */
export function exitOfRun(run: AttendedRun): number {
  switch (run.kind) {
    case 'work':
      return 0;
    case 'executing':
    case 'abandoned':
      return EXIT_WAITING;
    case 'waiting':
      return exitOfWaits('waiting', run.waits);
    case 'halted':
    case 'ended':
      return exitOf(run.status);
  }
}

function workRow(work: OpenWork): object {
  const { run, path, step, title, role, attempt, token, prompt, mayAsk, item, due, schema } = work;
  return {
    run,
    path,
    step,
    title,
    role,
    attempt,
    token,
    prompt,
    mayAsk,
    ...(item === undefined ? {} : { item }),
    ...(due === undefined ? {} : { due: new Date(due).toISOString() }),
    ...(schema === undefined ? {} : { schema }),
  };
}

function verdictRow(receipt: Receipt | undefined): object | undefined {
  if (receipt === undefined || receipt.kind === 'asked' || receipt.kind === 'pending') return undefined;
  const { kind, repeated } = receipt;
  return { accepted: kind === 'accepted', repeated, ...(kind === 'accepted' ? {} : { message: receipt.message }) };
}

function replyLines(shell: Shell, reply: Reply): string[] {
  const { run, receipt } = reply;
  const verdict = receipt === undefined ? [] : receiptLines(shell, receipt);
  if (run.kind !== 'work') return [...verdict, idleText(run)];
  const shown = newWork(reply);
  const lines = shown.flatMap((one, index) => [...(index === 0 ? [] : ['', '', '']), ...workLines(shell, one)]);
  const gap = verdict.length === 0 || lines.length === 0 ? [] : [''];
  return [...verdict, ...gap, ...lines, ...othersLines(shell, { shown, work: run.work })];
}

function receiptLines(shell: Shell, receipt: Receipt): string[] {
  if (receipt.kind === 'asked') return [];
  if (receipt.kind === 'pending') return ['The report is recorded and is being verified.'];
  const what = `${nameOf(receipt)} (attempt ${receipt.attempt})`;
  const verdict =
    receipt.kind === 'accepted' ? `Accepted: ${what}.` : `${VERDICTS[receipt.kind]}: ${what}: ${outside(shell, receipt.message)}`;
  return [receipt.repeated ? `${verdict} (This was on record already.)` : verdict];
}

const VERDICTS = { refused: 'Not accepted', 'gave-up': 'Given up' } as const;

/** One line that says why nothing is open for the agent. */
export function idleText(run: Exclude<AttendedRun, { readonly kind: 'work' }>): string {
  const { id } = run;
  switch (run.kind) {
    case 'ended':
      return `Run ${id} ${isDone(run.status) ? 'is' : 'ended'} ${run.status}${problemText(run.problem)}; nothing is left to do.`;
    case 'halted':
      return `Run ${id} ${run.status} and waits for a person to say how it goes on ("pawl resume ${id}")${problemText(run.problem)}`;
    case 'executing':
      return `Run ${id} is at work in another process; "pawl next ${id}" tells what comes next.`;
    case 'abandoned':
      return `Run ${id} was left in the middle by a process that ended; "pawl resume ${id}" drives it on.`;
    case 'waiting':
      return `Run ${id} waits ${[...new Set(run.waits.map(waitText))].join(', and ')}; nothing is open for you until then.`;
  }
}

function problemText(problem: string | undefined): string {
  return problem === undefined ? '' : `: ${oneLine(problem)}`;
}

/** What a run waits for, as the end of a sentence. */
function waitText({ run, wait }: TreeWait): string {
  const at = wait.step === undefined ? '' : ` "${oneLine(wait.step)}"`;
  const until = wait.due === undefined ? '' : ` until ${new Date(wait.due).toISOString()}`;
  switch (wait.kind) {
    case 'human':
      return `for a person to decide${at} ("pawl gates ${run}")`;
    case 'answer':
      return `for a person to answer the questions of${at} ("pawl answer ${run}")`;
    case 'delay':
      return `for time to pass at${at}${until}, then for "pawl resume ${run}"`;
    case 'capacity':
      return `for capacity for${at}${until}; "pawl resume ${run}" tries again`;
    case 'signal':
      return `for the signal "${oneLine(wait.name ?? '')}" at${at}`;
    case 'child':
      return `for the run ${wait.child ?? ''} that${at} started`;
    case 'unknown':
      return `for a person to say how${at} ended ("pawl resume ${run}")`;
    case 'escalation':
      return `for a person to say how${at} goes on ("pawl resume ${run}")`;
    case 'pause':
      return `for a person to end the pause ("pawl resume ${run}")`;
    default:
      return `for the ${wait.kind} of${at}${until}`;
  }
}

/** Text from outside as it is; on a terminal without what steers it. */
function outside(shell: Shell, text: string): string {
  return shell.look.isTerminal ? plain(text) : text;
}

/** One step, or one item of a fan-out. */
function workLines(shell: Shell, work: OpenWork): string[] {
  return [headerOf(shell, work), '', outside(shell, work.prompt), '', ...resultLines(work), ...commandLines(shell, work)];
}

function headerOf(shell: Shell, { number, step, path, attempt, run, due }: OpenWork): string {
  const which = `Step${number === undefined ? '' : ` ${number}`}: ${nameOf({ step, path })}`;
  const until = due === undefined ? [] : [`due ${new Date(due).toISOString()}`];
  return [`${which} (attempt ${attempt})`, `run ${run}`, ...until].join(` ${shell.symbol('dot')} `);
}

/** The step, and of a fan-out the item; a branch has a name of its own. */
function nameOf({ step, path }: Pick<OpenWork, 'step' | 'path'>): string {
  const [group, member] = step.split('/');
  return oneLine(member === undefined || member !== group ? step : `${group}, item ${path.slice(path.indexOf('/') + 1)}`);
}

const RESULT_FILE = 'result.json';
const EXAMPLE_QUESTIONS = '[{"question": "Which one?", "options": ["this", "that"]}]';

/** Whether a report without a result cannot be right. */
function needsResult({ schema, kind }: OpenWork): boolean {
  return schema !== undefined || kind === 'generate';
}

/** What the result has to be, where that is not free. */
export function resultLines(work: OpenWork): string[] {
  const { schema } = work;
  if (schema !== undefined) return [`The result has to fit this JSON Schema: ${JSON.stringify(schema)}`];
  return needsResult(work) ? ['The result is a text, as a JSON string.'] : [];
}

/** The token as an option, in one word: a token may begin with dashes, as options do. */
export function tokenOption(token: string): string {
  return `--token=${token}`;
}

/** The commands with which an agent says how its work ended; as they are printed, they work. */
export function commandsFor(shell: Shell, work: OpenWork): { readonly done: string; readonly fail: string; readonly ask?: string } {
  const { run, token, mayAsk } = work;
  const format = shell.format === 'xml' ? ' --format xml' : '';
  const command = (verb: string, more = ''): string => pasteable(shell, `pawl ${verb} ${run} ${tokenOption(token)}${more}${format}`);
  return {
    done: command('done', needsResult(work) ? ` --result @${RESULT_FILE}` : ''),
    fail: command('fail', ` --reason ${shellWord('why it cannot be done')}`),
    ...(mayAsk ? { ask: command('ask', ` --questions ${shellWord(EXAMPLE_QUESTIONS)}`) } : {}),
  };
}

function commandLines(shell: Shell, work: OpenWork): string[] {
  const { done, fail, ask } = commandsFor(shell, work);
  return [
    needsResult(work)
      ? `When it is done, with the result as JSON in ${RESULT_FILE}:`
      : 'When it is done (a result goes along with --result JSON, --result @FILE, or --result - to read it):',
    `  ${done}`,
    'When it cannot be done:',
    `  ${fail}`,
    ...(ask === undefined ? [] : ['To ask the person you work for, first save what you have; then, with 1 to 3 questions:', `  ${ask}`]),
  ];
}

/** What is open beside what was shown, and how several are reported. */
function othersLines(shell: Shell, { shown, work }: { readonly shown: readonly OpenWork[]; readonly work: readonly OpenWork[] }): string[] {
  const open = work.length - shown.length;
  const run = work[0]?.run ?? '';
  if (open > 0) {
    const one = open === 1;
    return [
      ...(shown.length === 0 ? [] : ['']),
      `${open} handed out before ${one ? 'is' : 'are'} still open; "${pasteable(shell, `pawl next ${run}`)}" prints ${one ? 'it' : 'them'}.`,
    ];
  }
  if (work.length < 2) return [];
  return ['', `These ${work.length} do not depend on each other: each is reported on its own, with its own token, in any order.`];
}
