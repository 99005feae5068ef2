// Owns what the agent that called Pawl is told: one step at a time, with the exact commands to report it, to give it up
// and to ask. The same run in the same state prints the same bytes.
//
// A1. Each block stands alone: an agent that has forgotten everything else can do it and report it.
// A2. The commands work as they are printed, in a POSIX shell.
// A3. Nothing of the instructions is changed in a pipe; on a terminal they cannot steer it.

import type { ReportVerdict } from '../../engine/reports.ts';
import type { Store } from '../../store/store.ts';
import { pasteable, shellWord } from '../caller.ts';
import { readRunReport } from '../run-report/run-report.ts';
import type { Shell } from '../shell.ts';
import { oneLine, plain } from '../terminal.ts';
import { exitOfStanding, type OpenWork, type Standing, standingText } from './standing.ts';

/** What a command for agents ends with: how the run stands, and what came of the report that was made. */
export interface Told {
  readonly standing: Standing;
  readonly verdict?: ReportVerdict;
  /** True when the agent gave the attempt up: a failed attempt is then what was asked for. */
  readonly gaveUp?: boolean;
  /** Work that was open before the report: whoever does it was told already. */
  readonly before?: readonly OpenWork[];
}

const EXIT_REFUSED = 1;
const EXIT_WAITING = 3;

/** Prints what the agent has to know now, and gives the exit code. */
export async function tellAgent(shell: Shell, store: Store, told: Told): Promise<number> {
  if (shell.wantsJson) {
    const { verdict, standing } = told;
    const said = verdict === undefined ? {} : { verdict: verdictRow(verdict) };
    shell.result({ ...(await readRunReport(store, standing.state.id)), handouts: standing.work.map(workRow), ...said }, () => []);
  } else if (shell.format === 'xml') {
    const { agentXml } = await import('./xml.ts');
    shell.print(agentXml(shell, told));
  } else for (const line of agentLines(shell, told)) shell.print(line);
  return exitOf(told);
}

/** A report that was not accepted is told by the exit code, unless the end of the run says more. */
function exitOf({ standing, verdict, gaveUp = false }: Told): number {
  const exit = exitOfStanding(standing);
  return verdict?.accepted === false && !gaveUp && [0, EXIT_WAITING].includes(exit) ? EXIT_REFUSED : exit;
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

function verdictRow({ accepted, repeated, message }: ReportVerdict): object {
  return { accepted, repeated, ...(message === undefined ? {} : { message }) };
}

/** The open work that the agent is told of: not what it was told before. */
export function newWork({ standing: { work }, verdict, before = [] }: Told): readonly OpenWork[] {
  const known = new Set(before.map(({ token }) => token));
  // Whose report is repeated has lost the answer to it, and perhaps all else.
  return verdict?.repeated === true ? work : work.filter(({ token }) => !known.has(token));
}

function agentLines(shell: Shell, told: Told): string[] {
  const { standing, verdict, gaveUp = false } = told;
  const { work } = standing;
  const said = verdict === undefined ? [] : [verdictText(shell, verdict, gaveUp)];
  if (work.length === 0) return [...said, standingText(standing)];
  const shown = newWork(told);
  const lines = shown.flatMap((one, index) => [...(index === 0 ? [] : ['', '', '']), ...workLines(shell, one)]);
  const gap = said.length === 0 || lines.length === 0 ? [] : [''];
  return [...said, ...gap, ...lines, ...othersLines(shell, { shown, work })];
}

function verdictText(shell: Shell, verdict: ReportVerdict, gaveUp: boolean): string {
  const { accepted, repeated, step, path, attempt, message } = verdict;
  const what = `${nameOf({ step, path })} (attempt ${attempt})`;
  const said = accepted ? `Accepted: ${what}.` : `${gaveUp ? 'Given up' : 'Not accepted'}: ${what}: ${outside(shell, message ?? '')}`;
  return repeated ? `${said} (This was on record already.)` : said;
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
