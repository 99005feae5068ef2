// Asks the person at the terminal how to continue a run that stopped.

import type { ResumeChoice } from '../../engine/request/resume.ts';
import type { RunState } from '../../kernel/run-state.ts';
import { openPrompt, type Prompt } from '../decision/prompt.ts';
import type { Shell } from '../shell.ts';
import { statusMark } from '../status.ts';
import { oneLine, plain } from '../terminal.ts';
import { type Choice, choicesAfterHalt } from './choices.ts';

/** Asks how to continue a stopped run; returns `leave` if the person decides later. */
export async function askChoice(shell: Shell, state: RunState): Promise<ResumeChoice | 'leave'> {
  const choices = choicesAfterHalt(state).filter(({ key }) => key !== 'cancel');
  const at = state.halt?.step === undefined ? '' : ` at "${oneLine(state.halt.step)}"`;
  shell.print(`${statusMark(shell, state.status)} run ${state.id} ${state.status}${at}: ${plain(state.halt?.message ?? '')}`);
  for (const { key, about } of choices) shell.print(`  ${shell.style('bold', wordOf(key))}  ${oneLine(about)}`);
  shell.print(`  ${shell.style('bold', 'leave')}  decide later`);
  using prompt = openPrompt(shell);
  return await askOne(shell, prompt, choices);
}

function wordOf(key: Choice['key']): string {
  return key === 'goto' ? 'go to' : key;
}

async function askOne(shell: Shell, prompt: Prompt, choices: readonly Choice[]): Promise<ResumeChoice | 'leave'> {
  for (;;) {
    const typed = (await prompt.ask('How should the run continue'))?.trim().toLowerCase();
    if (typed === undefined || typed === '' || 'leave'.startsWith(typed)) return 'leave';
    const [choice, another] = choices.filter(({ key }) => wordOf(key).startsWith(typed) || key.startsWith(typed));
    if (choice === undefined || another !== undefined) {
      shell.print(`"${oneLine(typed)}" must be one of ${choices.map(({ key }) => wordOf(key)).join(', ')}, leave`);
      continue;
    }
    const details = await askDetails(prompt, choice.key);
    if (details !== undefined) return details;
  }
}

async function askDetails(prompt: Prompt, key: Choice['key']): Promise<ResumeChoice | undefined> {
  if (key === 'goto') {
    const step = (await prompt.ask('At which step'))?.trim();
    return step === undefined || step === '' ? undefined : { how: 'goto', step };
  }
  const question = key === 'accept' ? 'Why you accept it (may be empty)' : 'A note for the next attempt (may be empty)';
  const text = (await prompt.ask(question))?.trim();
  if (text === undefined) return undefined;
  const note = text === '' ? {} : { note: text };
  if (key === 'extend') return { how: 'retry', extend: 1, ...note };
  return key === 'accept' ? { how: 'accept', ...note } : { how: 'retry', ...note };
}
