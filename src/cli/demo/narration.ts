// Prints the progress of the demo's run: each step as it starts and ends, and the agent's claim next to the evidence.
// Everything is read from the run's log.

import type { Engine } from '../../api/engine.ts';
import { fieldOf } from '../../base/json.ts';
import { activationIn } from '../../engine/event-facts.ts';
import type { StepView } from '../../engine/inspect.ts';
import type { OpenApproval } from '../../engine/request/approvals.ts';
import type { TranscriptId } from '../../engine/transcript/transcripts.ts';
import { humanWaitOf } from '../../kernel/activation.ts';
import { endedAttempt } from '../progress/reader.ts';
import type { Shell } from '../shell.ts';
import { statusMark } from '../status.ts';
import { oneLine, plain } from '../terminal.ts';

interface Narration {
  readonly engine: Engine;
  readonly run: string;
  /** Asks for the pending decision; `later` ends the demo. */
  readonly decide: () => Promise<'decided' | 'later'>;
  readonly pause: () => Promise<void>;
}

const STEP_NOTES: Readonly<Record<string, string>> = {
  reproduce: 'the engine runs the tests, to see the bug',
  fix: 'an agent works; here it is a script, without a model or a key',
  test: 'a gate: the engine runs all tests itself',
  compare: 'the changes are collected for a person',
  approve: 'a person decides on exactly what is shown',
  commit: 'the approved change is committed',
};

const STEP_WIDTH = Math.max(...Object.keys(STEP_NOTES).map((step) => step.length));

/** Prints the progress of a run until it has ended, or the person decides later. */
export async function narrateRun(shell: Shell, narration: Narration): Promise<'ended' | 'later'> {
  for await (const event of narration.engine.run(narration.run).log()) {
    if (event.type === 'step.opened') {
      await narration.pause();
      const { step } = event.activation;
      shell.print(`\n${shell.style('bold', step.padEnd(STEP_WIDTH))}  ${shell.style('dim', STEP_NOTES[step] ?? '')}`);
    }
    if (humanWaitOf(activationIn(event)) !== undefined && (await narration.decide()) === 'later') return 'later';
    const ended = endedAttempt(narration, event);
    if (ended === undefined) continue;
    const step = await findStep(narration, ended);
    if (step.kind === 'agent') await narration.pause();
    for (const line of stepLines(shell, step)) shell.print(`  ${line}`);
  }
  return 'ended';
}

async function findStep({ engine, run }: Narration, { path, attempt }: TranscriptId): Promise<StepView> {
  const { steps } = await engine.run(run).get();
  return steps.find((step) => step.path === path && step.attempt === attempt) as StepView;
}

function stepLines(shell: Shell, step: StepView): string[] {
  const mark = statusMark(shell, step.status);
  if (step.status === 'skipped') return [`${mark} skipped: git is not installed`];
  if (step.kind === 'agent') return agentLines(shell, step);
  if (step.error !== undefined) return [`${mark} ${oneLine(step.error)}`];
  switch (step.step) {
    case 'reproduce': {
      const failing = fieldOf(step.output, 'failing') as readonly string[];
      return [
        `${mark} ${fieldOf(step.output, 'tests')} tests, and this one fails: ${failing.map((name) => `"${oneLine(name)}"`).join(', ')}`,
      ];
    }
    case 'test':
      return [`${mark} node --test: ${step.outcome === 'ok' ? 'all' : 'not all'} tests pass`];
    case 'approve':
      return [`${mark} decided: "${fieldOf(step.output, 'option')}", by ${oneLine(step.actor ?? '')}`];
    default:
      return [`${mark} done`];
  }
}

function agentLines(shell: Shell, step: StepView): string[] {
  const verdicts = fieldOf(step.evidence, 'postconditions') as readonly { name: string; passed: boolean | null; error?: string }[];
  const isRejected = step.status === 'failed';
  const heading = `attempt ${step.attempt} is ${isRejected ? 'rejected' : 'accepted'}`;
  const observed = verdicts.map(({ name, passed, error }) => {
    const mark = statusMark(shell, passed === true ? 'completed' : 'failed');
    return `${mark} ${oneLine(passed === true ? name : (error ?? name))}`;
  });
  return [
    `${statusMark(shell, step.status)} ${shell.style(isRejected ? 'red' : 'green', heading)}`,
    `    ${shell.style('dim', 'claimed ')}  "${oneLine(String(fieldOf(step.claim, 'message')))}"`,
    ...observed.map((line, index) => `    ${shell.style('dim', index === 0 ? 'observed' : '        ')}  ${line}`),
    ...(isRejected ? [shell.style('dim', 'The agent gets the evidence as feedback and tries again.')] : []),
  ];
}

/** The question of the demo, with the diff in colour. */
export function questionLines(shell: Shell, { question, shown }: OpenApproval): string[] {
  const change = plain(String(fieldOf(shown, 'change'))).split('\n');
  return [oneLine(question.prompt), ...change.map((line) => `    ${shell.style(line.startsWith('-') ? 'red' : 'green', line)}`)];
}
