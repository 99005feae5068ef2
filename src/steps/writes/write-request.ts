// Owns a worker's requests to write at the forge: they are parsed, rejected or cleaned. A cleaned request can be shown to a
// person and written unchanged; nothing in it has side effects (`cleaned-text.ts`).

import { digestJson } from '../../base/digest.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { type CleanedText, type CleaningRules, cleanText, cleanTitle } from '../../forge/cleaned-text.ts';
import { runKey } from '../../forge/run-key.ts';
import { KNOWN_TOKENS } from '../../process/known-tokens.ts';
import type { OutputDeclaration } from '../outputs/declaration.ts';
import type { Job } from '../work.ts';

/** A comment on one line of a changed file. */
export type LineRequest = { readonly path: string; readonly line: number; readonly body: string };

/** A cleaned write. It is plain data, so that it can be stored until a person has approved it. */
export type ForgeWrite =
  | { readonly type: 'comment' | 'discussion'; readonly number: number; readonly body: string }
  | { readonly type: 'pr'; readonly title: string; readonly body: string; readonly head?: string; readonly base?: string }
  | { readonly type: 'label'; readonly number: number; readonly add: readonly string[]; readonly remove: readonly string[] }
  | { readonly type: 'issue'; readonly title: string; readonly body: string; readonly labels: readonly string[] }
  | { readonly type: 'review'; readonly number: number; readonly body: string; readonly comments: readonly LineRequest[] };

/** A request that may be written, with the name of its output and the changes that were made to it. */
export interface WriteRequest {
  readonly name: string;
  readonly write: ForgeWrite;
  readonly changes: readonly string[];
}

/** The most comments on lines in one review. */
const LINES_MAX = 30;
const PATH_MAX = 500;

/** The numbers that a run is about. */
export interface WriteTargets {
  readonly issue?: number | undefined;
  readonly pr?: number | undefined;
  readonly discussion?: number | undefined;
}

/** The issue, the pull request and the discussion that a run is about. */
export function writeTargets({ issue_number: issue, pr_number: pr, discussion_number: discussion }: JsonObject): WriteTargets {
  return { issue: numberIn(issue), pr: numberIn(pr), discussion: numberIn(discussion) };
}

function numberIn(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/** The number that an output is written to; undefined if the run has none of that kind. An issue takes precedence. */
export function targetNumber({ type, ...output }: OutputDeclaration, { issue, pr, discussion }: WriteTargets): number | undefined {
  if (type === 'discussion') return discussion;
  if (type === 'review') return pr;
  const target = 'target' in output ? output.target : undefined;
  if (target !== undefined) return target === 'pr' ? pr : issue;
  return issue ?? pr;
}

/** Parses and cleans a worker's request, or returns why it is rejected. */
export function parseWriteRequest(
  job: Job,
  { output, wanted }: { readonly output: OutputDeclaration; readonly wanted: Json },
  { place, rules }: { readonly place: WriteTargets; readonly rules: CleaningRules },
): WriteRequest | { readonly refused: string } {
  const cleaning = new TextCleaner(job, rules);
  const write = parseWrite(output, wanted, { cleaning, number: targetNumber(output, place) });
  if (typeof write === 'string') return { refused: write };
  if (cleaning.token) return { refused: 'it contains what looks like a token or a private key of a service; remove it' };
  return { name: output.name, write, changes: cleaning.changes };
}

interface RequestContext {
  readonly cleaning: TextCleaner;
  readonly number: number | undefined;
}

function parseWrite(output: OutputDeclaration, wanted: Json, { cleaning, number = 0 }: RequestContext): ForgeWrite | string {
  switch (output.type) {
    case 'comment':
    case 'discussion':
      return typeof wanted === 'string' && cleaning.body(wanted).trim() !== ''
        ? { type: output.type, number, body: cleaning.body(wanted) }
        : 'it must be a string';
    case 'pr':
      return parsePullRequest(wanted, cleaning);
    case 'label':
      return parseLabels(wanted, output.labels ?? [], number);
    case 'issue':
      return parseIssue(wanted, output.labels ?? [], cleaning);
    case 'review':
      return parseReview(wanted, { cleaning, number });
    default:
      return 'this cannot be written at the forge';
  }
}

function parsePullRequest(wanted: Json, cleaning: TextCleaner): ForgeWrite | string {
  if (!isJsonObject(wanted)) return 'it must be {"title": …, "body": …}';
  const { title, body = '', head, base } = wanted;
  const isBranch = (name: Json | undefined): boolean => name === undefined || name === null || (typeof name === 'string' && name !== '');
  if (typeof title !== 'string' || title.trim() === '' || typeof body !== 'string' || !isBranch(head) || !isBranch(base))
    return 'it must be {"title": …, "body": …}';
  const branches = { ...(typeof head === 'string' ? { head } : {}), ...(typeof base === 'string' ? { base } : {}) };
  return { type: 'pr', title: cleaning.title(title), body: cleaning.body(body), ...branches };
}

function parseLabels(wanted: Json, allowed: readonly string[], number: number): ForgeWrite | string {
  const { add = [], remove = [] } = isJsonObject(wanted) ? wanted : { add: wanted };
  const [added, removed] = [namesIn(add), namesIn(remove)];
  if (added === undefined || removed === undefined || added.length + removed.length === 0)
    return 'it must be a list of labels, or {"add": […], "remove": […]}';
  return labelRefusal([...added, ...removed], allowed) ?? { type: 'label', number, add: added, remove: removed };
}

function parseIssue(wanted: Json, allowed: readonly string[], cleaning: TextCleaner): ForgeWrite | string {
  const shape = 'it must be {"title": …, "body": …, "labels": […]}';
  if (!isJsonObject(wanted)) return shape;
  const { title, body = '', labels = [] } = wanted;
  const names = namesIn(labels);
  if (typeof title !== 'string' || title.trim() === '' || typeof body !== 'string' || names === undefined) return shape;
  return labelRefusal(names, allowed) ?? { type: 'issue', title: cleaning.title(title), body: cleaning.body(body), labels: names };
}

function parseReview(wanted: Json, { cleaning, number = 0 }: RequestContext): ForgeWrite | string {
  const shape = 'it must be {"body": …, "comments": [{"path": …, "line": …, "body": …}]}';
  if (!isJsonObject(wanted)) return shape;
  const { body = '', comments = [] } = wanted;
  if (typeof body !== 'string' || !Array.isArray(comments) || (body.trim() === '' && comments.length === 0)) return shape;
  if (comments.length > LINES_MAX) return `one review may have at most ${LINES_MAX} comments on lines, not ${comments.length}`;
  const lines: LineRequest[] = [];
  for (const comment of comments) {
    const { path, line, body: text } = isJsonObject(comment) ? comment : {};
    const isPlace = typeof path === 'string' && isPath(path) && numberIn(line) !== undefined;
    if (!isPlace || typeof text !== 'string' || text.trim() === '') return `${shape}, with paths of changed files and lines from 1 on`;
    lines.push({ path, line: line as number, body: cleaning.body(text) });
  }
  // GitHub rejects a review that has only line comments and no text.
  const whole = body.trim() === '' ? `${lines.length} comments on lines.` : cleaning.body(body);
  return { type: 'review', number, body: whole, comments: lines };
}

function isPath(path: string): boolean {
  return path !== '' && path.length <= PATH_MAX && !/[\p{Cc}\p{Default_Ignorable_Code_Point}]/u.test(path) && !path.startsWith('/');
}

function namesIn(value: Json): string[] | undefined {
  const names = Array.isArray(value) ? value : [value];
  return names.every((name) => typeof name === 'string') ? [...new Set(names)] : undefined;
}

function labelRefusal(wanted: readonly string[], allowed: readonly string[]): string | undefined {
  const forbidden = wanted.find((label) => !allowed.includes(label));
  if (forbidden === undefined) return undefined;
  const may =
    allowed.length === 0 ? 'no labels are allowed' : `allowed labels: ${allowed.map((label) => JSON.stringify(label)).join(', ')}`;
  return `the label ${JSON.stringify(forbidden)} is not allowed; ${may}`;
}

/** Cleans the texts of one request, and records the changes. */
class TextCleaner {
  /** Whether a text contains something that looks like a token. */
  token = false;
  readonly #job: Job;
  readonly #rules: CleaningRules;
  readonly #changes = new Set<string>();

  constructor(job: Job, rules: CleaningRules) {
    this.#job = job;
    this.#rules = rules;
  }

  get changes(): readonly string[] {
    return [...this.#changes];
  }

  body(text: string): string {
    return this.#keep(cleanText(text, this.#rules), (masked) => cleanText(masked, this.#rules));
  }

  title(text: string): string {
    return this.#keep(cleanTitle(text, this.#rules), (masked) => cleanTitle(masked, this.#rules));
  }

  /** Secrets are searched in the cleaned text, because invisible characters could have split them. */
  #keep({ text, changes }: CleanedText, again: (masked: string) => CleanedText): string {
    for (const change of changes) this.#changes.add(change);
    const plain = text.replaceAll('\u200B', '');
    if (plain.search(KNOWN_TOKENS) !== -1) this.token = true;
    const masked = this.#job.runner.redactor?.text(plain) ?? plain;
    if (masked === plain) return text;
    this.#changes.add('secrets were masked');
    return again(masked).text;
  }
}

/** The key of a write: the same for the same text of the same visit, so that no attempt writes it a second time. */
export function writeKey({ request }: Job, { name, write }: WriteRequest): string {
  return `${writePrefix(request.runId)}${request.activation.path}/${name}/${digestJson(write as unknown as Json).slice(0, 16)}`;
}

/** The prefix of the keys of all writes of a run. */
export function writePrefix(run: string): string {
  return runKey(run, 'write', '');
}
