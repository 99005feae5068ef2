// Prints the report of a run on one or two screens of 80 columns: failures in full, the rest as counts.

import { waitText } from '../../attended/wait-words.ts';
import { formatDuration } from '../../base/duration.ts';
import { jsonText } from '../../base/json.ts';
import type { OverrideReport, RunOverview, RunReport, WaitReport } from '../../control/schema/run.ts';
import { agoText, untilText } from '../../control/time-text.ts';
import { usageText } from '../../control/usage.ts';
import { isFinal } from '../../definition/run-status.ts';
import { assumptionLines } from '../assumptions.ts';
import type { Shell } from '../shell.ts';
import { statusText } from '../status.ts';
import { oneLine, plain, shorten } from '../terminal.ts';
import { changeText } from './complete.ts';
import { stepLines } from './steps.ts';
import { cutLines } from './text.ts';

/** How much is printed: `short` truncates and counts, `full` has every attempt with all evidence. */
export type Detail = 'short' | 'full';

const DIGEST_SHOWN = 12;
const KEY_SHOWN = 16;

/** The lines of a report. */
export function runReportLines(shell: Shell, report: RunReport, detail: Detail = 'short'): string[] {
  const assumptions = assumptionLines(shell, report.assumptions).flatMap((line) => (line === '' ? [] : [`  ${line}`]));
  return [
    ...headLines(shell, report.run),
    ...(report.definitionChange === undefined ? [] : [shell.style('yellow', changeText(report.definitionChange))]),
    ...section(shell, 'Overridden', overrideLines(shell, report)),
    '',
    ...stepLines(shell, report, detail),
    ...section(shell, 'Decisions', decisionLines(shell, report)),
    ...section(shell, 'Assumptions', assumptions),
    ...section(shell, 'Runs', relativeLines(shell, report.run)),
    ...section(shell, 'Output', outputLines(shell, report.run, detail)),
    ...section(shell, 'Waits for', waitLines(shell, report)),
  ];
}

function section(shell: Shell, title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', shell.style('bold', title), ...lines];
}

function headLines(shell: Shell, run: RunOverview): string[] {
  const ended = isFinal(run.status);
  const title = run.title === run.workflow ? '' : ` ${shell.symbol('dot')} ${oneLine(run.title)}`;
  const at = ended || run.currentStep === null ? '' : ` at ${oneLine(run.currentStep)}`;
  const { actor, file, priority } = run.origin;
  const by = actor === undefined ? '' : ` by ${oneLine(actor)}`;
  const from = file === undefined ? '' : ` from ${oneLine(file)}`;
  const first = priority === undefined ? '' : `, priority ${priority}`;
  const started = `started ${agoText(Date.parse(run.startedAt))}${by}${first}${from}`;
  return [
    `${shell.style('bold', run.id)}  ${statusText(shell, run.status)}${at}  ${shell.style('dim', formatDuration(run.durationMs))}`,
    `${oneLine(run.workflow)}${title}`,
    shell.style('dim', shorten(shell.display, started, shell.display.columns)),
    ...(isEmpty(run.params) ? [] : [shell.style('dim', shorten(shell.display, `params ${jsonText(run.params)}`, shell.display.columns))]),
    ...(run.usage === null ? [] : [shell.style('dim', `agents used ${usageText(run.usage)}`)]),
    ...(run.error === null ? [] : cutLines(shell, run.error, { indent: 0, max: 4 }).map((line) => shell.style('red', line))),
  ];
}

function isEmpty(params: RunOverview['params']): boolean {
  return params === null || (typeof params === 'object' && Object.keys(params).length === 0);
}

const OVERRIDE_TEXT: Readonly<Record<OverrideReport['how'], string>> = {
  accept: 'accepted although it did not pass',
  done: 'marked as done although its outcome was unknown',
  goto: 'skipped',
  from: 'skipped',
  fork: 'result copied from the original run',
  child: 'overridden in a child run',
};

/** The overrides come first, because there a person replaced a check. */
function overrideLines(shell: Shell, { overrides }: RunReport): string[] {
  return overrides.flatMap(({ how, actor, passed, to, note, at }) => {
    const onward = to === null ? '' : `, continued at ${oneLine(to)}`;
    const override = `${passed.map((step) => oneLine(step)).join(', ')}: ${OVERRIDE_TEXT[how]}${onward}`;
    const notes = note === null ? [] : cutLines(shell, note, { indent: 4, max: 3 });
    return [`  ${shell.style('yellow', override)} ${shell.style('dim', `by ${oneLine(actor)}, ${agoText(Date.parse(at))}`)}`, ...notes];
  });
}

function decisionLines(shell: Shell, { decisions }: RunReport): string[] {
  return decisions.flatMap(({ actor, option, path, digest, at, input, signed }) => {
    const choice = `${oneLine(actor)} chose ${JSON.stringify(oneLine(option))} at ${oneLine(path)}`;
    const seen = digest === null ? '' : `, seen ${digest.slice(0, DIGEST_SHOWN)}`;
    const text = input === null ? [] : cutLines(shell, input, { indent: 4, max: 3 });
    const proof = signed === null ? [] : [signatureLine(shell, signed)];
    return [`  ${choice} ${shell.style('dim', `${agoText(Date.parse(at))}${seen}`)}`, ...proof, ...text];
  });
}

function signatureLine(shell: Shell, { name, fingerprint, isProved }: NonNullable<RunReport['decisions'][number]['signed']>): string {
  const who = `${oneLine(name)} (${fingerprint.slice(0, KEY_SHOWN)})`;
  return isProved === true
    ? shell.style('dim', `    signed by ${who}`)
    : shell.style('red', `    the signature of ${who} is not valid here`);
}

function relativeLines(shell: Shell, { parent, forkOf, children }: RunOverview): string[] {
  return [
    ...(parent === null ? [] : [`  child of ${parent.run} at ${oneLine(parent.path)}`]),
    ...(forkOf === null ? [] : [`  fork of ${forkOf.run} from ${oneLine(forkOf.step)}`]),
    ...children.map(({ id, workflow, status }) => `  child ${id}  ${oneLine(workflow)}  ${statusText(shell, status)}`),
  ];
}

function outputLines(shell: Shell, run: RunOverview, detail: Detail): string[] {
  if (run.output === null) return [];
  const text = detail === 'full' ? JSON.stringify(run.output, null, 2) : jsonText(run.output);
  const hint = `pawl show ${run.id} --output`;
  return cutLines(shell, text, { indent: 2, max: detail === 'full' ? Number.POSITIVE_INFINITY : 3, hint });
}

function waitLines(shell: Shell, { waits, run }: RunReport): string[] {
  const lines = waits.flatMap((wait) => [
    `  ${waitPhrase(wait)}${shell.style('dim', whenOf(wait))}`,
    ...questionLines(shell, wait),
    ...(wait.command === undefined ? [] : [`    ${shell.style('cyan', plain(shell.pasteable(wait.command)))}`]),
    ...(wait.kind === 'escalation' || wait.kind === 'unknown' ? [shell.style('dim', '    other choices: pawl resume --help')] : []),
  ]);
  if (run.status === 'running' && !run.isDriven)
    lines.push('  a process: no process drives it', `    ${shell.style('cyan', `pawl resume ${run.id}`)}`);
  return lines;
}

function whenOf({ since, due, kind }: WaitReport): string {
  const waited = `, for ${formatDuration(Math.max(0, Date.now() - Date.parse(since)))}`;
  return due === null ? waited : `${waited}, ${kind === 'checks' ? 'next check' : 'ends'} ${untilText(Date.parse(due))}`;
}

function questionLines(shell: Shell, wait: WaitReport): string[] {
  if (wait.kind !== 'human' || wait.prompt === undefined) return [];
  const { prompt, options, shown } = wait;
  const answers = (options ?? []).map(({ label, requiresInput }) => `${oneLine(label)}${requiresInput ? ' (needs a text)' : ''}`);
  return [
    ...cutLines(shell, prompt, { indent: 4, max: 3 }),
    ...(shown === undefined || isEmpty(shown) ? [] : cutLines(shell, `shown: ${jsonText(shown)}`, { indent: 4, max: 3 })),
    ...cutLines(shell, `options: ${answers.join(', ')}`, { indent: 4, max: 2 }),
  ];
}

function waitPhrase(wait: WaitReport): string {
  const message = 'message' in wait ? wait.message : undefined;
  const path = ('path' in wait ? wait.path : undefined) ?? ('step' in wait ? wait.step : undefined);
  if (wait.kind === 'human' && message !== undefined) return oneLine(`a process to continue ${path ?? ''}, which is ${message}`);
  const why = WITH_REASON.has(wait.kind) && message !== undefined ? `: ${message}` : '';
  return oneLine(`${waitText(wait, path)}${why}`);
}

/** The kinds of wait whose message says why something is missing; that of an escalation is shown as the error of the run. */
const WITH_REASON: ReadonlySet<WaitReport['kind']> = new Set(['capacity', 'checks', 'budget', 'assumptions', 'unknown']);
