// Owns the actions that stages, hooks and undos of a workflow can do at the forge (`merge_pr`, `close_issue`, …), as a
// closed union by `action`, and how one is parsed. It is parsed when a workflow is compiled, and again before it is done:
// by then templates were filled in, with values of any type.

import { parseDuration } from '../../base/duration.ts';
import { EngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { didYouMean } from '../../base/suggest.ts';
import { BUILT_TEXT } from '../code.ts';

const METHODS = ['merge', 'squash', 'rebase'] as const;
const TARGETS = ['issue', 'pr'] as const;

/** A label, or several. */
type Labels = string | readonly string[];

/** What is done at the forge. `pr` is the step whose pull request it is; without it, that of the run. */
export type ForgeAction =
  | {
      readonly action: 'merge_pr';
      readonly method?: (typeof METHODS)[number];
      readonly delete_branch?: boolean;
      readonly wait?: string;
      readonly pr?: string;
    }
  /** A text is a number in digits, or a template of one. */
  | { readonly action: 'close_issue'; readonly issue?: number | string }
  | { readonly action: 'create_issue'; readonly title: string; readonly body?: string; readonly labels?: Labels }
  | LabelAction
  | { readonly action: 'label_issue'; readonly add: Labels; readonly target?: (typeof TARGETS)[number] }
  | { readonly action: 'notify'; readonly target: string; readonly message?: string }
  | { readonly action: 'comment'; readonly target?: (typeof TARGETS)[number]; readonly message: string; readonly pr?: string };

type LabelAction = {
  readonly action: 'label';
  readonly add?: Labels;
  readonly remove?: Labels;
  readonly target?: (typeof TARGETS)[number];
  readonly pr?: string;
};

/** An action with a given name. */
export type ForgeActionOf<Name extends ForgeAction['action']> = Extract<ForgeAction, { readonly action: Name }>;

type Parsers = { readonly [Name in ForgeAction['action']]: Parser<Name> };
interface Parser<Name extends ForgeAction['action']> {
  readonly fields: readonly Exclude<keyof ForgeActionOf<Name>, 'action'>[];
  parse(input: JsonObject): ForgeActionOf<Name>;
}

const PARSERS: Parsers = {
  merge_pr: {
    fields: ['method', 'delete_branch', 'wait', 'pr'],
    parse: (input) => {
      const method = METHODS.find((name) => name === input.method);
      if (method === undefined && input.method !== undefined)
        invalid(`"method" of merge_pr must not be ${shown(input.method)}; use ${METHODS.join(', ')}`);
      return omitUndefined({
        action: 'merge_pr' as const,
        method,
        delete_branch: flag(input),
        wait: duration(input),
        pr: maybeText(input, 'pr'),
      });
    },
  },
  close_issue: { fields: ['issue'], parse: ({ issue }) => omitUndefined({ action: 'close_issue' as const, issue: maybeIssue(issue) }) },
  create_issue: {
    fields: ['title', 'body', 'labels'],
    parse: (input) =>
      omitUndefined({
        action: 'create_issue' as const,
        title: text(input, 'title'),
        body: maybeText(input, 'body'),
        labels: maybeLabels(input, 'labels'),
      }),
  },
  label: {
    fields: ['add', 'remove', 'target', 'pr'],
    parse: (input) => {
      const [add, remove] = [maybeLabels(input, 'add'), maybeLabels(input, 'remove')];
      demandLabels(add, remove);
      return omitUndefined({ action: 'label' as const, add, remove, target: target(input), pr: maybeText(input, 'pr') });
    },
  },
  label_issue: {
    fields: ['add', 'target'],
    parse: (input) => {
      const add = maybeLabels(input, 'add') ?? [];
      demandLabels(add, undefined);
      return omitUndefined({ action: 'label_issue' as const, add, target: target(input) });
    },
  },
  notify: {
    fields: ['target', 'message'],
    parse: (input) => omitUndefined({ action: 'notify' as const, target: text(input, 'target'), message: maybeText(input, 'message') }),
  },
  comment: {
    fields: ['target', 'message', 'pr'],
    parse: (input) =>
      omitUndefined({ action: 'comment' as const, target: target(input), message: text(input, 'message'), pr: maybeText(input, 'pr') }),
  },
};

/** The names of all actions. */
export const FORGE_ACTIONS: readonly string[] = Object.keys(PARSERS);

/** Returns the action that these fields are, or throws an error that says what is wrong with them. */
export function parseForgeAction({ action, ...input }: JsonObject): ForgeAction {
  if (!isAction(action))
    return invalid(
      `unknown action ${shown(action)}${didYouMean(String(action), FORGE_ACTIONS)}; the actions are ${FORGE_ACTIONS.join(', ')}`,
    );
  const { fields, parse }: { readonly fields: readonly string[]; parse(input: JsonObject): ForgeAction } = PARSERS[action];
  const unknown = Object.keys(input).find((field) => !fields.includes(field));
  if (unknown !== undefined) invalid(`${action} has no field "${unknown}"${didYouMean(unknown, fields)}; it has ${fields.join(', ')}`);
  return parse(input);
}

/** The labels as a list. */
export function labelsOf(labels: Labels | undefined): readonly string[] {
  return typeof labels === 'string' ? [labels] : (labels ?? []);
}

/** The number of an issue that was written in digits, or as a number. */
export function issueNumber(issue: number | string): number {
  const number = typeof issue === 'string' && /^\d+$/.test(issue) ? Number(issue) : issue;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 1) invalid(`${shown(issue)} is not the number of an issue`);
  return number;
}

function isAction(name: Json | undefined): name is ForgeAction['action'] {
  return typeof name === 'string' && Object.hasOwn(PARSERS, name);
}

function text(input: JsonObject, field: string): string {
  return maybeText(input, field) ?? invalid(`"${field}" must be a non-empty string, not null`);
}

function maybeText(input: JsonObject, field: string): string | undefined {
  const value = input[field];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value.trim() === '') invalid(`"${field}" must be a non-empty string, not ${shown(value)}`);
  return value;
}

function duration(input: JsonObject): string | undefined {
  const wait = maybeText(input, 'wait');
  if (wait !== undefined && !isOpen(wait)) parseDuration(wait, '"wait" of merge_pr');
  return wait;
}

function flag({ delete_branch: value }: JsonObject): boolean | undefined {
  if (value !== undefined && typeof value !== 'boolean') invalid(`"delete_branch" must be true or false, not ${shown(value)}`);
  return value;
}

function maybeIssue(issue: Json | undefined): number | string | undefined {
  if (issue === undefined || (typeof issue === 'string' && isOpen(issue))) return issue;
  if (typeof issue !== 'string' && typeof issue !== 'number') invalid(`${shown(issue)} is not the number of an issue`);
  issueNumber(issue);
  return issue;
}

/** Whether a text gets its value only when the step begins. */
function isOpen(value: string): boolean {
  return value === BUILT_TEXT || value.includes('{{');
}

function maybeLabels(input: JsonObject, field: string): Labels | undefined {
  const value = input[field];
  if (value === undefined || typeof value === 'string') return value;
  if (!isTexts(value)) invalid(`"${field}" must be a label or a list of labels, not ${shown(value)}`);
  return value;
}

function isTexts(value: Json): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function demandLabels(add: Labels | undefined, remove: Labels | undefined): void {
  if (labelsOf(add).length + labelsOf(remove).length === 0) invalid('label needs "add" or "remove"');
}

function target(input: JsonObject): (typeof TARGETS)[number] | undefined {
  const known = TARGETS.find((name) => name === input.target);
  if (known === undefined && input.target !== undefined) invalid(`"target" must be issue or pr, not ${shown(input.target)}`);
  return known;
}

function shown(value: Json | undefined): string {
  return JSON.stringify(value ?? null);
}

function invalid(message: string): never {
  throw new EngineError('PARAMS_INVALID', message);
}
