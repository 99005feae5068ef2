// Owns the values of a step that functions build just before its work. They are inserted as data after templates are
// rendered, and never read as templates.

import { EngineError, isEngineError, messageOf } from '../base/error.ts';
import { isJsonObject, type Json, type JsonObject, toPlain } from '../base/json.ts';
import type { BuiltValue } from '../definition/code.ts';
import type { StepModel } from '../definition/model.ts';
import { AttemptStopped, isPromise, untilStopped } from './abort.ts';
import type { AttemptRequest, AttemptResult } from './attempt.ts';
import { type AttemptContext, typeName } from './context.ts';
import type { Attempt } from './layers.ts';
import { redactJson } from './redaction.ts';
import type { Job, Runner } from './work.ts';

/** A value and its path in the work. */
export interface PlacedValue {
  readonly path: readonly string[];
  readonly value: Json;
}

/** Builds the values of a step, in the order in which they are written. Throws CONTEXT_FAILED. */
export async function builtValues(request: AttemptRequest, context: AttemptContext): Promise<readonly PlacedValue[]> {
  const placed: PlacedValue[] = [];
  for (const built of request.bound.code.built ?? []) placed.push({ path: built.path, value: await build(request, context, built) });
  return placed;
}

/** Returns the request with the built values. A webhook inserts them itself, because it may have secrets. */
async function insertBuiltValues(request: AttemptRequest, context: AttemptContext): Promise<AttemptRequest> {
  const { bound } = request;
  if (bound.code.built === undefined || !('config' in bound.model) || 'request' in bound.model.config) return request;
  const config = insertValues(bound.model.config as unknown as Json, await builtValues(request, context));
  return { ...request, bound: { ...bound, model: { ...bound.model, config } as unknown as StepModel } };
}

/** Runs an attempt with the values that functions build; the functions can read the databases. */
export async function withBuiltValues(job: Job, attempt: Attempt): Promise<AttemptResult> {
  return attempt({ ...job, request: await insertBuiltValues(job.request, job.context) });
}

/** The question that a function builds from the current run, with secrets masked. */
export async function builtQuestion(
  { redactor }: Pick<Runner, 'redactor'>,
  request: AttemptRequest,
  context: AttemptContext,
): Promise<{ readonly prompt?: string }> {
  const prompt = (await builtValues(request, context)).find(({ path }) => path.join('.') === 'prompt')?.value;
  return prompt === undefined ? {} : { prompt: String(redactJson(redactor, prompt)) };
}

/** Returns the data with the values inserted. */
export function insertValues(data: Json, placed: readonly PlacedValue[]): Json {
  return placed.reduce((whole, { path, value }) => put(whole, path, value), data);
}

function put(data: Json, [first, ...rest]: readonly string[], value: Json): Json {
  if (first === undefined) return value;
  if (Array.isArray(data)) return data.map((one, index) => (String(index) === first ? put(one, rest, value) : one));
  const fields = isJsonObject(data) ? data : {};
  return { ...fields, [first]: put(fields[first] ?? null, rest, value) };
}

async function build(
  { bound, signal }: AttemptRequest,
  context: AttemptContext,
  { path, shape, build: builder }: BuiltValue,
): Promise<Json> {
  const subject = `the ${path.join('.')} of step "${bound.model.id}"`;
  const result = await resultOf(() => builder(context), { subject, signal });
  if (shape === 'text') return textOf(result, subject);
  const plain = result === undefined ? null : plainOf(result, subject);
  if (result === undefined || (shape === 'texts' && !isJsonObject(plain)))
    throw failed(
      `${subject} must be ${shape === 'texts' ? 'an object of strings' : 'data'}, but its function returned ${typeName(result)}`,
    );
  if (shape === 'data') return plain;
  return Object.fromEntries(Object.entries(plain as JsonObject).map(([name, value]) => [name, textOf(value, `${subject}, "${name}",`)]));
}

/** The result of an author's function, unless the attempt is stopped first. Throws CONTEXT_FAILED. */
export async function resultOf(
  build: () => unknown,
  { subject, signal }: { readonly subject: string; readonly signal: AbortSignal },
): Promise<unknown> {
  try {
    const pending = build();
    return isPromise(pending) ? await untilStopped(pending, signal) : pending;
  } catch (thrown) {
    if (thrown instanceof AttemptStopped) throw thrown;
    throw failed(`${subject} could not be built: ${messageOf(thrown)}`, thrown);
  }
}

/** Converts a value to text. Numbers and booleans are converted; a missing value is an error, never an empty text. */
function textOf(value: unknown, subject: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw failed(`${subject} must be a string, but its function returned ${typeName(value)}`);
}

/** The result of such a function as plain data. Throws CONTEXT_FAILED. */
export function plainOf(value: unknown, subject: string): Json {
  try {
    return toPlain(value, subject);
  } catch (thrown) {
    throw isEngineError(thrown) ? failed(thrown.message, thrown) : thrown;
  }
}

function failed(message: string, cause?: unknown): EngineError {
  return new EngineError('CONTEXT_FAILED', message, cause === undefined ? {} : { cause });
}
