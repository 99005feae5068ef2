// Hides paths of this machine from HTTP responses: files of the project are shown relative to its folder, other files by
// their last name. Data of runs (values, prompts, logs, histories) is not changed: digests and hashes cover it, and
// everyone who may read a run may read it.

import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname } from 'node:path';
import { isJsonObject, type Json } from '../base/json.ts';

/** Fields with recorded data of runs. */
const RECORDED: ReadonlySet<string> = new Set([
  ...['params', 'output', 'shown', 'claim', 'evidence', 'prompt', 'question', 'questions', 'input', 'payload', 'answer', 'assumed'],
  ...['rows', 'lines', 'text', 'diff', 'subjects', 'options', 'value'],
]);
/** First segments of the server's own URL paths, which are not files. */
const OWN = new Set(['api', 'auth', 'd', 'hooks', 'healthz', 'readyz', 'metrics', 'pawl']);

interface KnownPlaces {
  /** The folder of the project. */
  readonly project: string;
  /** The database of the runs; undefined in memory. */
  readonly db: string | undefined;
}

/** Removes paths of this machine from responses. */
export class MachinePaths {
  private readonly known: readonly (readonly [place: string, shown: string])[];
  private readonly anyPath: RegExp;

  constructor({ project, db }: KnownPlaces) {
    const home = homedir();
    const known: (readonly [string, string])[] = [
      ...(db === undefined ? [] : [[db, basename(db)] as const, [`${dirname(db)}/`, ''] as const]),
      ...[[`file://${project}/`, ''] as const, [`${project}/`, ''] as const, [project, basename(project)] as const],
      ...[[`${home}/`, '~/'] as const],
    ];
    // A top-level folder is not a secret, and its name occurs in too many other words.
    this.known = known.filter(([place]) => place.split('/').filter((part) => part !== '').length > 1);
    const tops = readdirSync('/').filter((name) => !OWN.has(name));
    this.anyPath = new RegExp(`(?:file://)?(?<![\\w.~/-])/(?:${tops.map(RegExp.escape).join('|')})(?:/[^\\s/"'\`,;:()]+)+`, 'g');
  }

  /** A message without any path of this machine. */
  message(text: string): string {
    return this.text(text).replace(this.anyPath, (path) => `…/${basename(path)}`);
  }

  /** JSON without any path of this machine, such as the details of a failure. */
  messages(value: Json): Json {
    return mapped(value, (text) => this.message(text), NOTHING);
  }

  /** The JSON of a response without the paths of this project, except in what runs recorded. */
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
  if (Array.isArray(value)) return value.map((item) => mapped(item, change, except));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, except.has(key) ? field : mapped(field, change, except)]));
}
