// Owns the question to the person at the terminal when a run has stopped: how it goes on.

import type { ResumeChoice } from '../../engine/resume.ts';
import type { RunState } from '../../kernel/run-state.ts';
import { type WayOn, waysFromHalt } from '../choices.ts';
import { openPrompt, type Prompt } from '../decision/prompt.ts';
import type { Shell } from '../shell.ts';
import { statusMark } from '../status.ts';
import { oneLine, plain } from '../terminal.ts';

/** Asks how a stopped run goes on; `leave` when the person wants to see to it later. */
export async function askHowOn(shell: Shell, state: RunState): Promise<ResumeChoice | 'leave'> {
  const ways = waysFromHalt(state).filter(({ key }) => key !== 'cancel');
  const at = state.halt?.step === undefined ? '' : ` at "${oneLine(state.halt.step)}"`;
  shell.print(`${statusMark(shell, state.status)} run ${state.id} ${state.status}${at}: ${plain(state.halt?.message ?? '')}`);
  for (const { key, about } of ways) shell.print(`  ${shell.style('bold', WORDS[key])}  ${oneLine(about)}`);
  shell.print(`  ${shell.style('bold', 'leave')}  decide later`);
  const prompt = openPrompt(shell);
  try {
    return await askWay(shell, prompt, ways);
  } finally {
    prompt.close();
  }
}

/** What a person types for each way on. */
const WORDS: Readonly<Record<WayOn['key'], string>> = {
  retry: 'retry',
  extend: 'extend',
  accept: 'accept',
  goto: 'go to',
  cancel: 'cancel',
  rerun: 'rerun',
  done: 'done',
  failed: 'failed',
};

async function askWay(shell: Shell, prompt: Prompt, ways: readonly WayOn[]): Promise<ResumeChoice | 'leave'> {
  for (;;) {
    const said = (await prompt.ask('how does it go on'))?.trim().toLowerCase();
    if (said === undefined || said === '' || 'leave'.startsWith(said)) return 'leave';
    const [way, another] = ways.filter(({ key }) => WORDS[key].startsWith(said) || key.startsWith(said));
    if (way === undefined || another !== undefined) {
      shell.print(`"${oneLine(said)}" is none of ${ways.map(({ key }) => WORDS[key]).join(', ')}, leave`);
      continue;
    }
    const choice = await askRest(prompt, way.key);
    if (choice !== undefined) return choice;
  }
}

async function askRest(prompt: Prompt, key: WayOn['key']): Promise<ResumeChoice | undefined> {
  if (key === 'goto') {
    const step = (await prompt.ask('at which step'))?.trim();
    return step === undefined || step === '' ? undefined : { how: 'goto', step };
  }
  const said = (
    await prompt.ask(key === 'accept' ? 'why it is good enough (may be empty)' : 'a note for the next attempt (may be empty)')
  )?.trim();
  if (said === undefined) return undefined;
  const note = said === '' ? {} : { note: said };
  if (key === 'extend') return { how: 'retry', extend: 1, ...note };
  return key === 'accept' ? { how: 'accept', ...note } : { how: 'retry', ...note };
}
