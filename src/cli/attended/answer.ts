// Shows an agent's questions at the terminal and asks them one by one.

import type { AgentQuestion } from '../../agents/driver.ts';
import { type Answer, parseAnswer, type WaitingQuestions } from '../../attended/questions.ts';
import type { OpenApproval } from '../../engine/request/approvals.ts';
import { approvalLines } from '../decision/decision.ts';
import { openPrompt, type Prompt } from '../decision/prompt.ts';
import type { Shell } from '../shell.ts';

/** One question in the form of an approval: text from outside behind a bar, the options numbered. */
export function questionLines(shell: Shell, asked: WaitingQuestions, index: number): string[] {
  return approvalLines(shell, { run: asked.run, approval: approvalOf(asked, index) });
}

function approvalOf(asked: WaitingQuestions, index: number): OpenApproval {
  const { path, step, digest, since, signed, questions } = asked;
  const { question, options, multiSelect } = questions[index] as AgentQuestion;
  const count = questions.length === 1 ? '' : `Question ${index + 1} of ${questions.length}: `;
  const described = options.flatMap(({ label, description }) => (description === undefined ? [] : [`${label}: ${description}`]));
  const prompt = [
    `${count}${question}`,
    ...described,
    ...(multiSelect === true ? ['You can choose several, separated by commas.'] : []),
  ].join('\n');
  const asking = { prompt, show: [], options: options.map(({ label }) => ({ label, outcome: 'ok', requiresInput: false })) };
  return { path, step, digest, since, shown: {}, signed, question: asking };
}

/** Asks the questions one by one; returns undefined if the person postpones one. */
export async function askAnswers(shell: Shell, asked: WaitingQuestions): Promise<readonly Answer[] | undefined> {
  using prompt = openPrompt(shell);
  const answers: Answer[] = [];
  for (const [index, question] of asked.questions.entries()) {
    for (const line of [...questionLines(shell, asked, index), '']) shell.print(line);
    const answer = await askOne(prompt, question);
    if (answer === undefined) return undefined;
    answers.push(answer);
  }
  return answers;
}

async function askOne(prompt: Prompt, question: AgentQuestion): Promise<Answer | undefined> {
  const typed = (await prompt.ask('Your answer, by number or name or in your own words (Enter: later)'))?.trim();
  return typed === undefined || typed === '' ? undefined : parseAnswer(question, typed);
}
