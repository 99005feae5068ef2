// Asks the person through the client: the questions of an agent as a form, and the answers in its response. It is
// off unless the user's own settings allow it, since a server cannot prove that a person filled in the form.
//
// - Only questions of an agent are asked, which are informative. An approval is never decided this way.
// - Answers that must be signed are never taken from a form.

import type { AgentQuestion } from '../agents/driver.ts';
import { type Answer, parseAnswer, type WaitingQuestions } from '../attended/questions.ts';
import type { AttendedSession } from '../attended/session.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { ClientFacts, ClientRequest } from './client.ts';

/** Whether the answers of a client's user count, and under which name. */
export interface FormRight {
  /** The name that is recorded with answers from a form of this client. */
  actorFor(client: ClientFacts): string;
}

/** The forms that the client should show to its user, by the name under which the answers are returned. */
export async function formsFor(
  session: AttendedSession,
  client: ClientFacts,
): Promise<Readonly<Record<string, ClientRequest>> | undefined> {
  if (!client.elicits) return undefined;
  const [asked] = (await session.questions()).filter(({ signed }) => !signed);
  return asked === undefined ? undefined : { [nameOf(asked)]: { method: 'elicitation/create', params: formOf(asked) } };
}

/** The name of a form. It identifies these questions of this attempt, so late answers to other questions are ignored. */
function nameOf({ run, path, attempt, digest }: WaitingQuestions): string {
  return `${run}/${path}/${attempt}/${digest}`;
}

function formOf({ step, workflow, questions }: WaitingQuestions): JsonObject {
  const properties = questions.map((question, index): [string, JsonObject] => [fieldOf(index), propertyOf(question)]);
  return {
    mode: 'form',
    message: `The agent at step "${step}" of workflow "${workflow}" asks:`,
    requestedSchema: { type: 'object', properties: Object.fromEntries(properties), required: properties.map(([name]) => name) },
  };
}

function fieldOf(index: number): string {
  return `answer${index + 1}`;
}

/** Forms are flat, and older clients do not support lists: several options are typed with commas between them. */
function propertyOf({ question, options, multiSelect, header }: AgentQuestion): JsonObject {
  const labels = options.map(({ label }) => label);
  const title = header ?? question.slice(0, TITLE_MAX);
  if (multiSelect !== true) return { type: 'string', title, description: question, enum: labels };
  return { type: 'string', title, description: `${question} One or more of: ${labels.join(', ')} (with commas between them)` };
}

const TITLE_MAX = 60;

/** Records the person's answers from a form; returns false if they postponed it. */
export async function recordAnswers(session: AttendedSession, inputs: JsonObject, actor: string): Promise<boolean> {
  for (const asked of await session.questions()) {
    const response = inputs[nameOf(asked)];
    if (asked.signed || !isJsonObject(response) || response.action !== 'accept') continue;
    const answers = answersIn(asked, response.content);
    if (answers === undefined) continue;
    await session.answer(asked, answers, actor);
    return true;
  }
  return false;
}

function answersIn({ questions }: WaitingQuestions, content: Json | undefined): readonly Answer[] | undefined {
  if (!isJsonObject(content)) return undefined;
  const typed = questions.map((_, index) => content[fieldOf(index)]);
  if (!typed.every((text) => typeof text === 'string' && text.trim() !== '')) return undefined;
  return questions.map((question, index) => parseAnswer(question, typed[index] as string));
}
