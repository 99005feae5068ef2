// Owns writes that a person must approve first (`staged: true`): the attempt ends with a question that contains the exact
// text, and the next attempt writes the approved text without calling the worker again.
//
// ST1. Only what was shown is written: the question is rebuilt from the stored requests and must equal the answered one.
// ST2. Only the answer "write" writes. Every other answer rejects, and the worker gets its text.
// ST3. Without an answer, nothing is written; the worker's changes to the workspace stay.

import type { AgentQuestion } from '../../agents/driver.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { redactPlain } from '../redaction.ts';
import { STAGED } from '../run-records.ts';
import { type Job, stepError, type Work } from '../work.ts';
import type { ForgeWrite, WriteRequest } from './write-request.ts';

type CompletedWork = Extract<Work, { readonly outcome: string }> & { readonly output: Json };

/** Writes that wait for a person, as stored with the run. */
export interface StagedRecord {
  /** The number of answers when the step asked; the next answer is the decision. */
  readonly answers: number;
  readonly requests: readonly WriteRequest[];
  readonly done: CompletedWork;
}

/** A person's decision about staged writes. */
export type StagedDecision =
  | { readonly approved: readonly WriteRequest[]; readonly done: CompletedWork; readonly forget: JsonObject }
  | { readonly refused: string; readonly names: readonly string[]; readonly done: CompletedWork; readonly forget: JsonObject };

/** The answer that approves staged writes. */
const WRITE_ANSWER = 'write';
const REFUSE_ANSWER = 'refuse';

/** Whether the step, the workflow or the project requires a person's approval for writes. */
export function isStaged({ runner, request }: Job): boolean {
  return request.bound.model.staged === true || request.workflow.definition.staged === true || runner.services.writes?.staged === true;
}

/** Ends an attempt with the question whether its writes may be made. */
export function askToWrite(job: Job, done: CompletedWork, requests: readonly WriteRequest[]): Work {
  const { runner, request } = job;
  const { id } = request.bound.model;
  if (request.sideWork !== undefined) {
    const why = 'it works in a side checkout, which is removed before a person can decide';
    const advice = 'let a later step write, or let the branches write different files';
    return {
      error: stepError('COMMAND_NOT_RUN', `step "${id}" cannot stage its writes at the forge: ${why}; ${advice}`, { retryable: false }),
    };
  }
  const { assumptions: _, checks: __, ...kept } = done;
  const record = { answers: request.answers?.length ?? 0, requests, done: kept };
  const remember = { ...done.remember, ...STAGED.of(request.activation.path).with(redactPlain(runner.redactor, record)) };
  const { outcome: ___, output: ____, ...noted } = done;
  return { ...noted, asks: [questionOf(id, requests)], remember };
}

/** The decision about this step's staged writes; undefined if there are none, or no decision yet. */
export function stagedDecision(job: Job): StagedDecision | undefined {
  const staged = STAGED.of(job.request.activation.path);
  const kept = staged.in(job.context.snapshot.data);
  if (kept === undefined) return undefined;
  const { answers: before, requests, done } = kept;
  const answered = job.request.answers?.[before];
  const [given] = Array.isArray(answered) ? (answered as readonly Json[]) : [];
  if (!isJsonObject(given)) return undefined;
  const forget = staged.removed();
  const asked = questionOf(job.request.bound.model.id, requests).question;
  if (given.question === asked && given.answer === WRITE_ANSWER) return { approved: requests, done, forget };
  const reason = given.answer === REFUSE_ANSWER || typeof given.answer !== 'string' ? '' : `: ${given.answer}`;
  return { refused: `a person decided not to publish it${reason}`, names: requests.map(({ name }) => name), done, forget };
}

function questionOf(step: string, requests: readonly WriteRequest[]): AgentQuestion {
  const texts = requests.map(({ write, changes }) => {
    const cleaned = changes.length === 0 ? '' : `\n(cleaned: ${changes.join('; ')})`;
    return `${describe(write)}${cleaned}`;
  });
  return {
    header: 'writes',
    question: `Step "${step}" wants this written at the forge, exactly as it is here:\n\n${texts.join('\n\n')}`,
    options: [
      { label: WRITE_ANSWER, description: 'write it at the forge' },
      { label: REFUSE_ANSWER, description: 'write nothing; any other answer also rejects, and its text is passed to the worker' },
    ],
  };
}

function describe(write: ForgeWrite): string {
  switch (write.type) {
    case 'comment':
      return `A comment on #${write.number}:\n${indented(write.body)}`;
    case 'discussion':
      return `A reply in discussion #${write.number}:\n${indented(write.body)}`;
    case 'pr':
      return `A pull request:\n${indented(`${write.title}\n\n${write.body}`)}`;
    case 'label':
      return `Labels of #${write.number}:\n${indented([...write.add.map((name) => `+ ${name}`), ...write.remove.map((name) => `- ${name}`)].join('\n'))}`;
    case 'issue':
      return `A new issue${write.labels.length === 0 ? '' : ` with the labels ${write.labels.join(', ')}`}:\n${indented(`${write.title}\n\n${write.body}`)}`;
    case 'review':
      return `A review of pull request #${write.number}:\n${indented([write.body, ...write.comments.map(({ path, line, body }) => `${path}:${line}: ${body}`)].join('\n\n'))}`;
  }
}

function indented(text: string): string {
  return text.replace(/^/gm, '    ');
}
