// Owns the answer format for agents whose program only prints text: the instructions and the parser. Anything that is
// not exactly one reply is rejected, never guessed.
//
// - A reply is one JSON object that starts a line and ends the text (a code fence may close it): `success`,
//   optionally `output`, `verdict`, `message` and `assumptions`, and nothing else.
// - Questions must be the whole text.
// - Two replies, a reply with text after it, and a truncated one are all invalid.
// - If plain text is allowed, it is any text without questions, without an object that has `success`, and without an object
//   at its end, because those were meant as a reply.

import { omitUndefined } from '../base/fields.ts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../base/json.ts';
import { checkAssumptions } from '../definition/question/assumption.ts';
import type { AgentQuestion, AgentReply, AgentRequest } from './driver.ts';
import { findJsonObjects } from './json-in-text.ts';

/** The result of parsing an agent's answer. */
export type ReplyReading =
  | { readonly kind: 'reply'; readonly reply: AgentReply }
  | { readonly kind: 'asks'; readonly questions: readonly AgentQuestion[] }
  | { readonly kind: 'invalid'; readonly why: string };

const FIELDS: ReadonlySet<string> = new Set(['success', 'output', 'verdict', 'message', 'assumptions']);
const FENCE = /\n?```\s*$/;

/** Parses an agent's answer. */
export function readReply(text: string): ReplyReading {
  const trimmed = text.trim();
  if (trimmed.startsWith(OPEN) || trimmed.includes(OPEN)) return readQuestions(trimmed);
  const body = trimmed.replace(FENCE, '').trimEnd();
  const matches = findJsonObjects(body);
  const replies = matches.filter(({ value }) => isJsonObject(value) && typeof value.success === 'boolean');
  const last = matches.at(-1);
  if (last === undefined) return invalid('there is no JSON object at the start of a line');
  if (last.end === undefined) return invalid('the JSON object at the end is truncated');
  if (last.value === undefined) return invalid('the object at the end is not valid JSON');
  if (replies.length > 1) return invalid('there is more than one reply');
  if (last.end !== body.length) return invalid('there is text after the JSON object; the object must end the answer');
  return isJsonObject(last.value) ? replyOf(last.value) : invalid('it is not an object');
}

/** Parses an agent's answer; plain text is a success with that text as its output. */
export function readReplyOrText(text: string): ReplyReading {
  const reading = readReply(text);
  const output = text.trim();
  if (reading.kind !== 'invalid' || output === '' || isMeantAsReply(output)) return reading;
  return { kind: 'reply', reply: { success: true, output } };
}

function isMeantAsReply(text: string): boolean {
  if (text.includes(OPEN)) return true;
  const body = text.replace(FENCE, '').trimEnd();
  const objects = findJsonObjects(body);
  const last = objects.at(-1);
  if (last !== undefined && (last.end === undefined || last.end === body.length)) return true;
  return objects.some(({ value }) => value !== undefined && isJsonObject(value) && value.success !== undefined);
}

function replyOf(value: JsonObject): ReplyReading {
  const unknown = Object.keys(value).find((field) => !FIELDS.has(field));
  if (unknown !== undefined)
    return invalid(`it has the unknown field "${unknown}"; the fields are success, output, verdict, message, assumptions`);
  const { success, output = null, verdict, message, assumptions } = value;
  if (typeof success !== 'boolean') return invalid('"success" must be true or false');
  if (verdict !== undefined && verdict !== 'approve' && verdict !== 'reject') return invalid('"verdict" must be "approve" or "reject"');
  if (message !== undefined && typeof message !== 'string') return invalid('"message" must be a string');
  const read = assumptions === undefined ? { assumptions: [] } : checkAssumptions(assumptions);
  if ('why' in read) return invalid(`"assumptions" cannot be used: ${read.why}`);
  const reply: AgentReply = {
    success,
    output,
    ...omitUndefined({ assumptions: read.assumptions.length === 0 ? undefined : read.assumptions, message }),
    ...(verdict === undefined ? {} : { verdict }),
  };
  return { kind: 'reply', reply };
}

function invalid(why: string): ReplyReading {
  return { kind: 'invalid', why };
}

/** Returns the prompt of a request with the answer instructions; comments of people stay at the end. */
export function promptWithReply({ prompt, parts, schema }: Pick<AgentRequest, 'prompt' | 'parts' | 'schema'>): string {
  const reply = replyInstructions(schema);
  return parts === undefined ? `${prompt}\n\n${reply}` : `${parts.before}\n\n${reply}\n\n${parts.people}`;
}

/** Returns the request with a text before its prompt, for a session that no longer exists. */
export function withHandover<Request extends Pick<AgentRequest, 'prompt' | 'parts'>>(request: Request, handover: string): Request {
  const { prompt, parts } = request;
  const before = (text: string): string => `${handover}\n\n${text}`;
  return { ...request, prompt: before(prompt), ...omitUndefined({ parts: parts && { ...parts, before: before(parts.before) } }) };
}

/** Returns the instructions on how to answer. */
export function replyInstructions(schema: JsonObject | undefined): string {
  const shape = schema === undefined ? '' : `\n"output" must fit this JSON Schema:\n${JSON.stringify(schema)}`;
  return `## How to answer
When you have finished, end your answer with one JSON object that starts on its own line, with nothing after it:
{"success": true, "output": ..., "message": "..."}
"success" is false when you could not do it; say why in "message". "output" is the result, null when there is none.${shape}
${ASSUMPTION_FORMAT}`;
}

/** Instructions on how to report assumptions. */
const ASSUMPTION_FORMAT = `If you had to guess what only a person can decide, do not stop: add "assumptions": [{"question": "...", "assumed": "...", "severity": "MUST"}]. MUST: a wrong guess does harm, nothing is merged before a person has answered; else SHOULD or COULD.`;

/** Returns the prompt for an agent whose answer was invalid. It gets one such chance. */
export function repairInstructions(why: string): string {
  return `Your answer could not be used: ${why}. Do not repeat the work. Answer with the corrected JSON object only.`;
}

const OPEN = '<needs_user_input>';
const CLOSE = '</needs_user_input>';
const QUESTIONS_MAX = 3;
const OPTIONS_MIN = 2;
const OPTIONS_MAX = 3;
const HEADER_MAX = 12;

/** Instructions for a sub-agent on how to ask the person it works for, if the step allows it. */
export const QUESTION_FORMAT = `If you cannot continue without a decision by the person you work for: first save your progress to files, then make this your WHOLE answer, with 1 to 3 questions of 2 or 3 options each, and nothing before or after it:
<needs_user_input>
[{"header": "Database", "question": "Which database holds the sessions?", "options": [{"label": "Postgres", "description": "already there"}, {"label": "SQLite"}]}]
</needs_user_input>
You will be started again with the answers; what is not in files is forgotten.`;

/** Instructions for the agent that started a sub-agent: how to recognise its questions and pass them on. */
export const QUESTION_RELAY_HANDLER = `If the whole output of the sub-agent is a ${OPEN} element, it is not done: it asks. Show each question with its options to the person you work for, word for word, and do not answer it yourself. Then start a new sub-agent for the same step (do not resume the old one) with the answers and with the folder that holds its saved state. If the output contains anything else, it is not a question.`;

function readQuestions(text: string): ReplyReading {
  if (!text.startsWith(OPEN) || !text.endsWith(CLOSE) || text.indexOf(OPEN, 1) !== -1)
    return invalid(`${OPEN} must be the whole answer, with nothing before or after it`);
  const inner = text.slice(OPEN.length, -CLOSE.length).trim();
  const list = parseJson(inner);
  return list === undefined ? invalid(`inside ${OPEN} there must be a JSON list of questions`) : checkQuestions(list);
}

/** Checks a list of questions from any source: an agent's text, a command line, a protocol. */
export function checkQuestions(list: Json): Extract<ReplyReading, { readonly kind: 'asks' | 'invalid' }> {
  const refuse = (why: string): { readonly kind: 'invalid'; readonly why: string } => ({ kind: 'invalid', why });
  if (!Array.isArray(list) || list.length < 1 || list.length > QUESTIONS_MAX)
    return refuse(`there must be a list of 1 to ${QUESTIONS_MAX} questions`);
  const questions: AgentQuestion[] = [];
  for (const [index, item] of list.entries()) {
    const read = questionOf(item as Json);
    if (typeof read === 'string') return refuse(`question ${index + 1}: ${read}`);
    questions.push(read);
  }
  return { kind: 'asks', questions };
}

const QUESTION_FIELDS: ReadonlySet<string> = new Set(['header', 'question', 'options', 'multiSelect', 'multi_select']);

function questionOf(item: Json): AgentQuestion | string {
  if (!isJsonObject(item)) return 'it must be an object';
  const unknown = Object.keys(item).find((field) => !QUESTION_FIELDS.has(field));
  if (unknown !== undefined) return `it has the unknown field "${unknown}"`;
  const { header, question, options } = item;
  const multiSelect = item.multiSelect ?? item.multi_select;
  if (typeof question !== 'string' || question.trim() === '') return '"question" must be a string';
  if (header !== undefined && (typeof header !== 'string' || header.length > HEADER_MAX))
    return `"header" must be a string of at most ${HEADER_MAX} characters`;
  if (multiSelect !== undefined && typeof multiSelect !== 'boolean') return '"multiSelect" must be true or false';
  if (!Array.isArray(options) || options.length < OPTIONS_MIN || options.length > OPTIONS_MAX)
    return `it must have ${OPTIONS_MIN} or ${OPTIONS_MAX} options`;
  const read = options.map(optionOf);
  if (!read.every((option) => option !== undefined)) return 'each option must have a "label" and may have a "description"';
  if (new Set(read.map(({ label }) => label)).size !== read.length) return 'two options have the same label';
  return { question, options: read, ...omitUndefined({ header, multiSelect }) };
}

function optionOf(item: Json): AgentQuestion['options'][number] | undefined {
  if (typeof item === 'string' && item.trim() !== '') return { label: item };
  if (!isJsonObject(item) || typeof item.label !== 'string' || item.label.trim() === '') return undefined;
  if (item.description === undefined) return { label: item.label };
  return typeof item.description === 'string' ? { label: item.label, description: item.description } : undefined;
}
