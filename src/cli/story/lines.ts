// Owns how the story of a run is told to people: on one or two screens, at 80 columns, the interesting parts in full and
// the rest in numbers.

import { formatDuration } from '../../base/duration.ts';
import { isFinal } from '../../kernel/run-state.ts';
import { pasteable } from '../caller.ts';
import type { Shell } from '../shell.ts';
import { statusText } from '../status.ts';
import { oneLine, plain, shorten } from '../terminal.ts';
import { agoText, untilText } from '../time.ts';
import type { StoryOverride } from './history.ts';
import { stepLines } from './steps.ts';
import type { Story, StoryRun, StoryWait } from './story.ts';
import { cutLines, jsonText } from './text.ts';
import { usageText } from './usage.ts';

/** How much is told: `short` cuts and counts, `full` gives every attempt with all that was kept of it. */
export type Detail = 'short' | 'full';

const DIGEST_SHOWN = 12;
const KEY_SHOWN = 16;

/** The lines of a story. */
export function storyLines(shell: Shell, story: Story, detail: Detail = 'short'): string[] {
  return [
    ...headLines(shell, story.run),
    ...section(shell, 'Passed by hand', overrideLines(shell, story)),
    '',
    ...stepLines(shell, story, detail),
    ...section(shell, 'Decisions', decisionLines(shell, story)),
    ...section(shell, 'Runs', relativeLines(shell, story.run)),
    ...section(shell, 'Output', outputLines(shell, story.run, detail)),
    ...section(shell, 'Waits for', waitLines(shell, story)),
  ];
}

function section(shell: Shell, title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', shell.style('bold', title), ...lines];
}

function headLines(shell: Shell, run: StoryRun): string[] {
  const ended = isFinal(run.status);
  const title = run.title === run.workflow ? '' : ` ${shell.symbol('dot')} ${oneLine(run.title)}`;
  const at = ended || run.currentStep === null ? '' : ` at ${oneLine(run.currentStep)}`;
  const { actor, file } = run.origin;
  const by = actor === undefined ? '' : ` by ${oneLine(actor)}`;
  const from = file === undefined ? '' : ` from ${oneLine(file)}`;
  const started = `started ${agoText(Date.parse(run.startedAt))}${by}${from}`;
  return [
    `${shell.style('bold', run.id)}  ${statusText(shell, run.status)}${at}  ${shell.style('dim', formatDuration(run.durationMs))}`,
    `${oneLine(run.workflow)}${title}`,
    shell.style('dim', shorten(shell.look, started, shell.look.columns)),
    ...(isEmpty(run.params) ? [] : [shell.style('dim', shorten(shell.look, `params ${jsonText(run.params)}`, shell.look.columns))]),
    ...(run.usage === null ? [] : [shell.style('dim', `agents used ${usageText(run.usage)}`)]),
    ...(run.error === null ? [] : cutLines(shell, run.error, { indent: 0, max: 4 }).map((line) => shell.style('red', line))),
  ];
}

function isEmpty(params: StoryRun['params']): boolean {
  return params === null || (typeof params === 'object' && Object.keys(params).length === 0);
}

const PASSED_HOW: Readonly<Record<StoryOverride['how'], string>> = {
  accept: 'accepted, although it had not passed',
  done: 'taken as done, although its end is unknown',
  goto: 'left out',
  from: 'left out',
  fork: 'taken over from the original',
  child: 'passed by hand in a run that it started',
};

/** What a reader must know before anything else: where the word of a person stands in the place of a check. */
function overrideLines(shell: Shell, { overrides }: Story): string[] {
  return overrides.flatMap(({ how, actor, passed, to, note, at }) => {
    const onward = to === null ? '' : `, to go on at ${oneLine(to)}`;
    const what = `${passed.map((step) => oneLine(step)).join(', ')}: ${PASSED_HOW[how]}${onward}`;
    const said = note === null ? [] : cutLines(shell, note, { indent: 4, max: 3 });
    return [`  ${shell.style('yellow', what)} ${shell.style('dim', `by ${oneLine(actor)}, ${agoText(Date.parse(at))}`)}`, ...said];
  });
}

function decisionLines(shell: Shell, { decisions }: Story): string[] {
  return decisions.flatMap(({ actor, option, path, digest, at, input, signed }) => {
    const what = `${oneLine(actor)} chose ${JSON.stringify(oneLine(option))} at ${oneLine(path)}`;
    const seen = digest === null ? '' : `, seen ${digest.slice(0, DIGEST_SHOWN)}`;
    const said = input === null ? [] : cutLines(shell, input, { indent: 4, max: 3 });
    const proof = signed === null ? [] : [signatureLine(shell, signed)];
    return [`  ${what} ${shell.style('dim', `${agoText(Date.parse(at))}${seen}`)}`, ...proof, ...said];
  });
}

function signatureLine(shell: Shell, { name, fingerprint, isProved }: NonNullable<Story['decisions'][number]['signed']>): string {
  const who = `${oneLine(name)} (${fingerprint.slice(0, KEY_SHOWN)})`;
  return isProved === true
    ? shell.style('dim', `    signed by ${who}`)
    : shell.style('red', `    the signature of ${who} does not hold here`);
}

function relativeLines(shell: Shell, { parent, forkOf, children }: StoryRun): string[] {
  return [
    ...(parent === null ? [] : [`  child of ${parent.run} at ${oneLine(parent.path)}`]),
    ...(forkOf === null ? [] : [`  fork of ${forkOf.run} from ${oneLine(forkOf.step)}`]),
    ...children.map(({ id, workflow, status }) => `  child ${id}  ${oneLine(workflow)}  ${statusText(shell, status)}`),
  ];
}

function outputLines(shell: Shell, run: StoryRun, detail: Detail): string[] {
  if (run.output === null) return [];
  const text = detail === 'full' ? JSON.stringify(run.output, null, 2) : jsonText(run.output);
  const hint = `pawl show ${run.id} --output`;
  return cutLines(shell, text, { indent: 2, max: detail === 'full' ? Number.POSITIVE_INFINITY : 3, hint });
}

function waitLines(shell: Shell, { waits, run }: Story): string[] {
  const told = waits.flatMap((wait) => [
    `  ${waitText(wait)}${shell.style('dim', whenOf(wait))}`,
    ...questionLines(shell, wait),
    ...(wait.command === undefined ? [] : [`    ${shell.style('cyan', plain(pasteable(shell, wait.command)))}`]),
    ...(wait.kind === 'escalation' || wait.kind === 'unknown' ? [shell.style('dim', '    other ways on: pawl resume --help')] : []),
  ]);
  if (run.status === 'running' && !run.isDriven)
    told.push('  somebody to drive it: no process does', `    ${shell.style('cyan', `pawl resume ${run.id}`)}`);
  return told;
}

function whenOf({ since, due }: StoryWait): string {
  const waited = `, for ${formatDuration(Math.max(0, Date.now() - Date.parse(since)))}`;
  return due === null ? waited : `${waited}, ends ${untilText(Date.parse(due))}`;
}

function questionLines(shell: Shell, { prompt, options, shown }: StoryWait): string[] {
  if (prompt === undefined) return [];
  const answers = (options ?? []).map(({ label, requiresInput }) => `${oneLine(label)}${requiresInput ? ' (with a text)' : ''}`);
  return [
    ...cutLines(shell, prompt, { indent: 4, max: 3 }),
    ...(shown === undefined || isEmpty(shown) ? [] : cutLines(shell, `shown: ${jsonText(shown)}`, { indent: 4, max: 3 })),
    ...cutLines(shell, `answers: ${answers.join(', ')}`, { indent: 4, max: 2 }),
  ];
}

/** What a run waits for, in words. */
function waitText({ kind, step, path, name, child, message }: StoryWait): string {
  const where = oneLine(path ?? step ?? '');
  switch (kind) {
    case 'human':
      return `a person to decide ${where}`;
    case 'report':
      return `an agent to report on ${where}`;
    case 'answer':
      return `an answer to the questions of ${where}`;
    case 'child':
      return `the child run ${child} of ${where}`;
    case 'signal':
      return `the signal "${oneLine(name ?? '')}" at ${where}`;
    case 'delay':
      return `time to pass at ${where}`;
    case 'capacity':
      return message === undefined ? `a free place for ${where}` : `capacity for ${where}: ${oneLine(message)}`;
    case 'escalation':
      return `a person to say how it goes on${where === '' ? '' : ` at ${where}`}`;
    case 'unknown':
      return `a person to say whether ${where} took effect: ${message ?? 'a crash left no record of its end'}`;
    case 'pause':
      return 'a person to end the pause';
    case 'checks':
      return `the forge at ${where}`;
    case 'budget':
      return `more budget for ${where}${message === undefined ? '' : `: ${oneLine(message)}`}`;
  }
}
