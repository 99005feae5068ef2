// Owns the answers of a person to the questions of an agent: which questions are meant, how they are shown and asked at
// the terminal, and what an answer on the command line stands for.

import type { AgentQuestion } from '../../agents/driver.ts';
import { EngineError } from '../../base/error.ts';
import type { OpenGate } from '../../engine/gates.ts';
import { approvalLines } from '../decision/decision.ts';
import { openPrompt, type Prompt } from '../decision/prompt.ts';
import type { Shell } from '../shell.ts';
import type { AskedQuestions } from './standing.ts';

/** What a person said to one question: a text, or several where several may be chosen. */
export type Answer = string | readonly string[];

/** The questions of one attempt, in their order. */
export function questionsIn({ questions }: AskedQuestions): readonly AgentQuestion[] {
  return questions as unknown as readonly AgentQuestion[];
}

/** The questions that are meant, by the step that asks and by the digest of what was seen. */
export function pickQuestions(
  run: string,
  asked: readonly AskedQuestions[],
  named: { readonly step: string | undefined; readonly digest: string | undefined },
): AskedQuestions {
  const ofStep = asked.filter(({ path, step }) => named.step === undefined || path === named.step || step === named.step);
  const [only, ...more] = ofStep;
  if (only === undefined) {
    const which = named.step === undefined ? '' : ` of step "${named.step}"`;
    throw new EngineError(
      'WAIT_NOT_FOUND',
      `run ${run} has no questions${which} that wait for an answer; "pawl show ${run}" tells what it does`,
    );
  }
  if (more.length > 0)
    throw new EngineError(
      'WAIT_NOT_FOUND',
      `${ofStep.length} steps of run ${run} ask; name one with --step: ${ofStep.map(({ path }) => path).join(', ')}`,
    );
  if (named.digest !== undefined && !only.digest.startsWith(named.digest))
    throw new EngineError(
      'CONTENT_CHANGED',
      `step "${only.step}" of run ${run} asks something else than you have seen; "pawl inbox ${run}" shows it, with the digest to name`,
      { details: { digest: only.digest } },
    );
  return only;
}

/** One question as the terminal shows every question: text from outside behind a bar, the options numbered. */
export function questionLines(shell: Shell, asked: AskedQuestions, index: number): string[] {
  return approvalLines(shell, asked.run, gateOf(asked, index));
}

function gateOf(asked: AskedQuestions, index: number): OpenGate {
  const questions = questionsIn(asked);
  const { question, options, multiSelect } = questions[index] as AgentQuestion;
  const count = questions.length === 1 ? '' : `Question ${index + 1} of ${questions.length}: `;
  const told = options.flatMap(({ label, description }) => (description === undefined ? [] : [`${label}: ${description}`]));
  const prompt = [
    `${count}${question}`,
    ...told,
    ...(multiSelect === true ? ['Several may be chosen, with commas between them.'] : []),
  ].join('\n');
  const { path, step, digest, since } = asked;
  return {
    path,
    step,
    digest,
    since,
    shown: {},
    signed: asked.signed,
    gate: { prompt, show: [], options: options.map(({ label }) => ({ label, outcome: 'ok', requiresInput: false })) },
  };
}

/** Asks the questions one by one; nothing when the person leaves one for later. */
export async function askAnswers(shell: Shell, asked: AskedQuestions): Promise<readonly Answer[] | undefined> {
  const prompt = openPrompt(shell);
  try {
    const answers: Answer[] = [];
    for (const [index, question] of questionsIn(asked).entries()) {
      for (const line of [...questionLines(shell, asked, index), '']) shell.print(line);
      const answer = await askOne(prompt, question);
      if (answer === undefined) return undefined;
      answers.push(answer);
    }
    return answers;
  } finally {
    prompt.close();
  }
}

async function askOne(prompt: Prompt, question: AgentQuestion): Promise<Answer | undefined> {
  const typed = (await prompt.ask('Your answer, by number or name or in your own words (Enter: later)'))?.trim();
  return typed === undefined || typed === '' ? undefined : readAnswer(question, typed);
}

/** What was typed as an answer: the label of an option, its number, or words of one's own. */
export function readAnswer({ options, multiSelect }: AgentQuestion, typed: string): Answer {
  const one = (word: string): string => {
    const named = options.find(({ label }) => label === word) ?? options.find(({ label }) => label.toLowerCase() === word.toLowerCase());
    return (named ?? (/^\d$/.test(word) ? options[Number(word) - 1] : undefined))?.label ?? word;
  };
  if (multiSelect !== true) return one(typed.trim());
  const words = typed.split(',').map((word) => word.trim());
  return words.filter((word) => word !== '').map(one);
}
