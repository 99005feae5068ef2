// Owns that places of this machine stay on it: who asks over HTTP learns the files of the project from its folder on, and of
// any other file the last name. What runs recorded (values, prompts, logs, histories) is shown as it is: digests and hashes
// are over it, and whoever may read a run may read that.

import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname } from 'node:path';
import { isJsonObject, type Json } from '../base/json.ts';

/** Fields that hold what runs recorded. */
const RECORDED: ReadonlySet<string> = new Set([
  ...['params', 'output', 'shown', 'claim', 'evidence', 'prompt', 'question', 'questions', 'input', 'payload', 'answer', 'assumed'],
  ...['rows', 'lines', 'text', 'diff', 'subjects', 'options', 'value'],
]);
/** Words with a slash that are no files: addresses of the server itself. */
const OWN = new Set(['api', 'auth', 'd', 'hooks', 'healthz', 'readyz', 'metrics', 'pawl']);

interface KnownPlaces {
  /** The folder of the project. */
  readonly project: string;
  /** The database of the runs; undefined in memory. */
  readonly db: string | undefined;
}

/** Takes the places of this machine out of what leaves it. */
export class MachinePaths {
  private readonly known: readonly (readonly [place: string, shown: string])[];
  private readonly any: RegExp;

  constructor({ project, db }: KnownPlaces) {
    const home = homedir();
    const known: (readonly [string, string])[] = [
      ...(db === undefined ? [] : [[db, basename(db)] as const, [`${dirname(db)}/`, ''] as const]),
      ...[[`file://${project}/`, ''] as const, [`${project}/`, ''] as const, [project, basename(project)] as const],
      ...[[`${home}/`, '~/'] as const],
    ];
    // A folder at the top is no secret, and its name is in too many words.
    this.known = known.filter(([place]) => place.split('/').filter((part) => part !== '').length > 1);
    const tops = readdirSync('/').filter((name) => !OWN.has(name));
    this.any = new RegExp(`(?:file://)?(?<![\\w.~/-])/(?:${tops.map(RegExp.escape).join('|')})(?:/[^\\s/"'\`,;:()]+)+`, 'g');
  }

  /** A message without any place of this machine. */
  message(text: string): string {
    return this.text(text).replace(this.any, (path) => `…/${basename(path)}`);
  }

  /** A message with everything in it, such as the details of a failure. */
  messages(value: Json): Json {
    return mapped(value, (text) => this.message(text), NOTHING);
  }

  /** The JSON of an answer: without the places of this project, but for what runs recorded. */
  answer(json: string): string {
    if (!this.known.some(([place]) => json.includes(place))) return json;
    return JSON.stringify(mapped(JSON.parse(json) as Json, (text) => this.text(text), RECORDED));
  }

  private text(text: string): string {
    return this.known.reduce((shown, [place, as]) => shown.replaceAll(place, as), text);
  }
}

const NOTHING: ReadonlySet<string> = new Set();

function mapped(value: Json, change: (text: string) => string, except: ReadonlySet<string>): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => mapped(one, change, except));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, except.has(key) ? one : mapped(one, change, except)]));
}
