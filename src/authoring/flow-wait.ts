// Owns the kinds of steps that let a flow wait: for checks, people, time, signals, child workflows, and for one piece
// of work per item.

import { type Duration, parseDuration } from '../base/duration.ts';
import { EngineError } from '../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { BoundStep, StepContext } from '../definition/code.ts';
import type { GateOptionModel } from '../definition/model.ts';
import { type FlowStep, noteUsed } from '../kernel/flow-step.ts';
import { keysOf } from '../kernel/group.ts';
import { checkMember, createBoundStep, invalid, plainOf, type StepOptions } from './flow-model.ts';
import { shownValue } from './flow-serial.ts';
import type { ForgeSpec, WebhookSpec } from './graph-spec.ts';

/** A check of a gate: a shell command, or a check by name with what it needs. */
export type CheckSpec = string | { readonly check: string; readonly timeout?: Duration; readonly [field: string]: unknown };

/** Checks that let the work pass or not. */
export interface GateSpec extends StepOptions {
  readonly checks: readonly CheckSpec[];
}

/** An answer that a person can give; without an outcome, "reject" rejects and every other answer is `ok`. */
export type HumanOption = string | { readonly label: string; readonly outcome?: string; readonly requiresInput?: boolean };

/** A question to a person; without options it can be approved or rejected. */
export interface HumanSpec<Options extends readonly HumanOption[]> extends StepOptions {
  readonly prompt: string;
  /** Paths into the run's data, shown with the question. */
  readonly show?: readonly string[];
  readonly options?: Options;
  /** The group or groups whose members decide. */
  readonly from?: string | readonly string[];
  /** How many of them it takes to go on. */
  readonly count?: number;
  /** What it is about outside the run; when that changes, it is put anew. */
  readonly subjects?: { readonly files?: readonly string[]; readonly pr?: true };
  /** A decision counts only with the signature of an enrolled key. */
  readonly signed?: boolean;
}

/** The answers that a flow can get to see: one that rejects is thrown as a failure instead. */
export type AnswerOf<Option> = Option extends string
  ? Exclude<Option, 'reject'>
  : Option extends { readonly label: infer Label extends string; readonly outcome: infer Word }
    ? Word extends 'ok'
      ? Label
      : never
    : Option extends { readonly label: infer Label extends string }
      ? Exclude<Label, 'reject'>
      : never;

/** A pause; with `poll` it ends early, as soon as the condition holds. */
export interface DelaySpec extends StepOptions {
  readonly duration: Duration;
  readonly poll?: { readonly interval: Duration; readonly condition: string | ((ctx: StepContext) => boolean | Promise<boolean>) };
}

/** How a fan-out goes about its items. */
export interface EachOptions<Item> extends StepOptions {
  readonly concurrency?: number;
  /** Names an item; without it, the item itself, its key, id or name, or its position does. */
  readonly key?: (item: Item, index: number) => string;
}

const APPROVE_OR_REJECT: readonly HumanOption[] = ['approve', 'reject'];
const MEMBER_KEY = /^[\w.@:+~-]{1,80}$/;

/** Checks that are run in place. */
export function buildGate(name: string, spec: GateSpec): BoundStep {
  const { checks, ...options } = spec;
  return createBoundStep({ name, kind: 'gate', config: { checks: checks.map((check) => checkData(name, check)) }, options });
}

function checkData(name: string, check: CheckSpec): JsonObject {
  if (typeof check === 'string') return { check: 'command', run: check };
  const { timeout, ...rest } = check;
  const limit = timeout === undefined ? {} : { timeoutMs: parseDuration(timeout, `step "${name}", timeout of check "${check.check}"`) };
  return { ...plainOf<JsonObject>(name, 'a check', rest), ...limit };
}

/** Something that is done on the forge: an action by its name, with its fields as data. */
export function buildAction(name: string, action: ForgeSpec, options: StepOptions = {}): BoundStep {
  return createBoundStep({ name, kind: 'action', config: plainOf<JsonObject>(name, 'an action', action), options });
}

/** A request to a web service; everything in it is data as it stands. */
export function buildWebhook(name: string, webhook: WebhookSpec, options: StepOptions = {}): BoundStep {
  return createBoundStep({ name, kind: 'webhook', config: plainOf<JsonObject>(name, 'a webhook', webhook), options });
}

/** A question and its answers. */
export function buildHuman(name: string, spec: HumanSpec<readonly HumanOption[]>): BoundStep {
  const { prompt, show = [], options: answers = APPROVE_OR_REJECT, from, count, subjects, signed, ...options } = spec;
  if (answers.length === 0) throw invalid(`step "${name}"`, 'asks a person but allows no answer; give it at least one option');
  const choices = answers.map(optionModel);
  const twice = choices.find(({ label }, index) => choices.findIndex((other) => other.label === label) !== index);
  if (twice !== undefined) throw invalid(`step "${name}"`, `has two options "${twice.label}"; label each answer differently`);
  const people = {
    ...(from === undefined ? {} : { from: typeof from === 'string' ? [from] : [...from] }),
    ...(count === undefined ? {} : { count }),
  };
  if (signed !== undefined && typeof signed !== 'boolean') throw invalid(`step "${name}"`, '`signed` must be true or false');
  const about = { ...(subjects === undefined ? {} : { subjects }), ...(signed === true ? { signed } : {}) };
  const gate = { prompt, show: [...show], options: choices, ...people, ...about };
  return createBoundStep({ name, kind: 'human', fields: { gate }, options });
}

// A flow that forgets to look at the answer must not complete what a person rejected.
function optionModel(option: HumanOption): GateOptionModel {
  const { label, outcome, requiresInput = false } = typeof option === 'string' ? { label: option } : option;
  return { label, outcome: outcome ?? (label === 'reject' ? 'reject' : 'ok'), requiresInput };
}

/** A pause. */
export function buildDelay(name: string, given: Duration | DelaySpec): BoundStep {
  const { duration, poll, ...options } = typeof given === 'object' ? given : { duration: given };
  const durationMs = parseDuration(duration, `step "${name}", duration`);
  if (poll === undefined) return createBoundStep({ name, kind: 'delay', config: { durationMs }, options });
  const intervalMs = parseDuration(poll.interval, `step "${name}", poll.interval`);
  const { condition } = poll;
  const config = { durationMs, poll: { intervalMs, ...(typeof condition === 'string' ? { condition } : {}) } };
  return createBoundStep({ name, kind: 'delay', config, code: typeof condition === 'string' ? {} : { poll: condition }, options });
}

/** A wait for a named signal. */
export function buildSignal(name: string, signal: string, options: StepOptions = {}): BoundStep {
  return createBoundStep({ name, kind: 'signal', config: { signal }, options });
}

interface ChildParts {
  readonly workflow: string;
  readonly inputs: unknown;
  readonly options: StepOptions;
}

/** A child workflow with its inputs, as data or as a function that builds them. */
export function buildChild(name: string, { workflow, inputs, options }: ChildParts): BoundStep {
  if (typeof inputs === 'function') {
    const context = inputs as (ctx: StepContext) => unknown;
    return createBoundStep({ name, kind: 'workflow', config: { workflow, input: {} }, code: { context }, options });
  }
  const input = plainOf<Json>(name, 'the input', inputs ?? {});
  if (!isJsonObject(input))
    throw invalid(`step "${name}"`, `gives workflow "${workflow}" an input that is not an object; give values by name`);
  return createBoundStep({ name, kind: 'workflow', config: { workflow, input }, options });
}

interface EachParts<Item> {
  readonly items: readonly Item[];
  readonly body: (item: Item, index: number) => FlowStep;
  readonly options: EachOptions<Item>;
}

/** One member per item, named by the item's key, and the keys in the order of the items. */
export function buildEach<Item>(
  name: string,
  { items, body, options: given }: EachParts<Item>,
): { readonly bound: BoundStep; readonly keys: readonly string[] } {
  const { concurrency, key, ...options } = given;
  if (concurrency !== undefined && !(Number.isSafeInteger(concurrency) && concurrency > 0)) {
    throw invalid(`step "${name}"`, `has concurrency: ${concurrency}; write a whole number from 1 up`);
  }
  const keys = key === undefined ? keysOf(items.map(shownValue)) : items.map((item, index) => memberKey(name, key(item, index)));
  checkDistinct(name, keys);
  const members = items.map((item, index) => {
    const step = body(item, index);
    noteUsed(step);
    return memberOf(name, step.bound, keys[index] as string);
  });
  const fields = { join: { rule: 'all' }, ...(concurrency === undefined ? {} : { concurrency }) } as const;
  return { keys, bound: createBoundStep({ name, kind: 'parallel', fields, members, options }) };
}

function memberOf(name: string, bound: BoundStep, id: string): BoundStep {
  checkMember(`step "${name}"`, bound);
  return { code: bound.code, model: Object.freeze({ ...bound.model, id }) };
}

function memberKey(name: string, key: string): string {
  if (MEMBER_KEY.test(key)) return key;
  throw invalid(`step "${name}"`, `names an item ${JSON.stringify(key)}; a key has 1 to 80 letters, digits or any of _ . @ : + ~ -`);
}

function checkDistinct(name: string, keys: readonly string[]): void {
  const seen = new Set<string>();
  for (const key of keys) {
    if (seen.has(key))
      throw new EngineError('STEP_DUPLICATE', `step "${name}" has two items with the key "${key}"; let \`key\` tell them apart`);
    seen.add(key);
  }
}
