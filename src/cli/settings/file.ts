// Owns parsing one settings file: strict YAML 1.2 (unique keys, no tags, few aliases), known keys, values of the right
// type, and the position of each for messages. Loaded only if such a file exists.

import { statSync } from 'node:fs';
import { isCollection, isMap, isNode, isScalar, LineCounter, type Node, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { budgetFieldsFault, readBudget } from '../../agents/role-fields.ts';
import { digestText } from '../../base/digest.ts';
import { durationOf } from '../../base/duration.ts';
import { EngineError, messageOf } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { readPlainFile } from '../../base/plain-file.ts';
import { didYouMean } from '../../base/suggest.ts';
import { WRITE_KINDS } from '../../definition/forge/forge-write.ts';
import { hookFault, notificationFault } from './events.ts';
import { authFault, commandsFault, forksFault, switchFault } from './forge.ts';
import { type Fault, policyFault, roleFault } from './policy.ts';

const BYTES_MAX = 1024 * 1024;
const ALIASES_MAX = 100;

/** One setting of a file: its dotted key, its value, its position. */
export interface Setting {
  readonly key: string;
  readonly value: Json;
  readonly position: { readonly line: number; readonly column: number };
  /** The digest of the text it was read from. */
  readonly digest: string;
  /** False for reserved names: accepted, but not used yet. */
  readonly isUsed: boolean;
}

/** What is allowed under a key: a value that passes a check, or more keys (`*` matches any). */
type Shape = ((value: Json) => string | Fault | undefined) | { readonly [key: string]: Shape };

const text = (value: Json): string | undefined => (typeof value === 'string' && value !== '' ? undefined : 'a string that is not empty');
const count = (value: Json): string | undefined =>
  Number.isSafeInteger(value) && (value as number) >= 1 ? undefined : 'a whole number of at least 1';
const most = (value: Json): string | undefined =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? undefined : 'a whole number of at least 0';
const names = (value: Json): string | undefined =>
  Array.isArray(value) && value.every((name) => typeof name === 'string' && /^[A-Za-z_]\w*\*?$/.test(name))
    ? undefined
    : 'a list of variable names, such as [PATH, LC_*]';

const SHAPE: { readonly [key: string]: Shape } = {
  db: text,
  limits: { global: count, repository: count, roles: { '*': count }, credentials: { '*': count }, keys: { '*': count } },
  validation: { stages: { '*': stage } },
  environment: names,
  commands: { '*': (value) => (isTexts(value) ? undefined : 'a program and its arguments, such as [node, tools/review.mjs]') },
  project: { default_branch: text },
  groups: { '*': people },
  forge: {
    kind: (value) => (value === 'local' || value === 'github' ? undefined : '"local" or "github"'),
    ...{ repository: text, state: text, auth: authFault, base_url: text, poll: durationFault, webhook_secret: text },
    ...{ comments: switchFault, checks: switchFault, commands: commandsFault, self_approval: switchFault, forks: forksFault },
  },
  budgets: { run: budgetFieldsFault, day: budgetFieldsFault },
  circuit_breakers: {
    ...{ max_iterations: orOff(count), max_tool_calls: orOff(count), max_turns: orOff(count) },
    ...{ max_active: orOff(durationFault), max_sleep: orOff(durationFault) },
  },
  protected: (value) => (isTexts(value) ? undefined : 'a list of patterns, such as ["test/**"]'),
  secrets: { '*': secretFault },
  databases: { '*': databaseFault },
  webhooks: { allow: (value) => (isTexts(value) ? undefined : 'a list of hosts, such as ["127.0.0.1:8080"]') },
  writes: {
    ...Object.fromEntries(WRITE_KINDS.map((kind) => [kind, most])),
    links: (value) => (isTexts(value) ? undefined : 'a list of hosts, such as [docs.example.com]'),
  },
  staged: (value) => (value === true ? undefined : 'true or absent'),
  serve: {
    public_url: (value) => (isAddress(value) ? undefined : 'the address that people use, such as https://pawl.example.com'),
    trusted_proxy: (value) => (isTexts(value) ? undefined : 'a list of addresses, such as ["127.0.0.1", "10.0.0.0/8"]'),
    projects: (value) => (isTexts(value) ? undefined : 'a list of folders of other projects, such as [../shop, ../bank]'),
  },
  hooks: { '*': hookFault },
  notifications: { '*': notificationFault },
  metrics: (value) => (value === 'public' ? undefined : '"public" or absent'),
  decisions: (value) => (value === 'signed' ? undefined : '"signed" or absent'),
  mcp: { elicit: (value) => (value === 'questions' ? undefined : '"questions" or absent') },
  roles: roleFault,
  agent_roles: roleFault,
  review_policy: policyFault,
};

/** A setting that can be written, and what its value must be. Names that the author chooses are `<name>`. */
interface KnownSetting {
  readonly key: string;
  readonly value: string;
}

/** Every setting, as the checks have them. */
export function knownSettings(): KnownSetting[] {
  return settingsIn(SHAPE, []);
}

function settingsIn(shape: { readonly [key: string]: Shape }, path: readonly string[]): KnownSetting[] {
  return Object.entries(shape).flatMap(([name, below]) => {
    const at = [...path, name === '*' ? '<name>' : name];
    return typeof below === 'function' ? [{ key: at.join('.'), value: expectationOf(below(null)) }] : settingsIn(below, at);
  });
}

/** What a check says a value must be, when it is given none. */
function expectationOf(wrong: string | Fault | undefined): string {
  return typeof wrong === 'string' ? wrong : (wrong?.what ?? '').replace(/^must be /, '');
}

/** Names reserved for later. */
const RESERVED = ['budget'];
/** The two spellings of one name. */
const ROLES = ['roles', 'agent_roles'];

function isAddress(value: Json): boolean {
  return typeof value === 'string' && /^https?:\/\/[^/]+\/?$/.test(value) && URL.canParse(value);
}

/** A limit that can be switched off. */
function orOff(check: (value: Json) => string | Fault | undefined): (value: Json) => string | Fault | undefined {
  return (value) => (value === false ? undefined : check(value));
}

function durationFault(value: Json): string | undefined {
  return typeof value === 'string' && (durationOf(value) ?? 0) > 0 ? undefined : 'a duration, such as 60s';
}

function people(value: Json): string | undefined {
  return isTexts(value) ? undefined : 'a list of people, such as [ann, bob]';
}

/** A secret is set by its source; a value in a settings file would be stored, copied and committed. */
function secretFault(value: Json): string | undefined {
  const expected = 'where its value comes from, such as { env: API_TOKEN }, { file: /run/secrets/token } or { command: [pass, show, api] }';
  if (!isJsonObject(value)) return `${expected}; the value itself does not belong into a settings file`;
  const { env, file, command, hosts, ...rest } = value;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) return `${expected}; "${unknown}" is not one of env, file, command, hosts`;
  const sources = [env, file, command].filter((source) => source !== undefined);
  const fits =
    sources.length === 1 &&
    (env === undefined || (typeof env === 'string' && /^[A-Za-z_]\w*$/.test(env))) &&
    (file === undefined || text(file) === undefined) &&
    (command === undefined || isTexts(command));
  if (!fits) return expected;
  return hosts === undefined || isTexts(hosts) ? undefined : 'a source with hosts as a list, such as hosts: [api.example.com]';
}

/** A user's database, protected by the client of `pawl/safe-db`. */
function databaseFault(value: Json): string | undefined {
  const expected = 'a mapping with the path of a SQLite file, such as { path: data/project.db, migrations: migrations, row_limit: 1000 }';
  if (!isJsonObject(value)) return expected;
  const { path, migrations, row_limit, keep_backups, ...rest } = value;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) return `${expected}; "${unknown}" is not one of path, migrations, row_limit, keep_backups`;
  const fits =
    path !== undefined &&
    text(path) === undefined &&
    (migrations === undefined || text(migrations) === undefined) &&
    [row_limit, keep_backups].every((number) => number === undefined || count(number) === undefined);
  return fits ? undefined : `${expected}; row_limit and keep_backups are whole numbers of at least 1`;
}

function stage(value: Json): string | undefined {
  const expected = 'a command line, a list of other stages, or a mapping with run or argv';
  if (typeof value === 'string') return value === '' ? expected : undefined;
  if (isTexts(value)) return undefined;
  if (!isJsonObject(value)) return expected;
  const { run, argv, env, cwd, timeoutMs, tests, ...rest } = value;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) return `${expected}; "${unknown}" is not one of run, argv, env, cwd, timeoutMs, tests`;
  const fits =
    (run === undefined) !== (argv === undefined) &&
    (run === undefined || (typeof run === 'string' && run !== '')) &&
    (argv === undefined || isTexts(argv)) &&
    (cwd === undefined || typeof cwd === 'string') &&
    (tests === undefined || tests === 'optional') &&
    (timeoutMs === undefined || count(timeoutMs) === undefined) &&
    (env === undefined || (typeof env === 'object' && env !== null && Object.values(env).every((entry) => typeof entry === 'string')));
  return fits ? undefined : expected;
}

function isTexts(value: Json): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string' && word !== '');
}

/** The settings of a file; an error is CONFIG_INVALID with its position. */
export async function readSettingsFile(file: string): Promise<Setting[]> {
  return new SettingsReader(file).read();
}

class SettingsReader {
  private readonly file: string;
  private readonly lines = new LineCounter();
  private digest = '';

  constructor(file: string) {
    this.file = file;
  }

  read(): Setting[] {
    const { size } = statSync(this.file);
    if (size > BYTES_MAX) throw this.invalid(0, `the file has ${size} bytes, but the limit is ${BYTES_MAX}`);
    const text = this.text();
    this.digest = digestText(text);
    const document = parseDocument(text, {
      version: '1.2',
      schema: 'core',
      uniqueKeys: true,
      prettyErrors: false,
      lineCounter: this.lines,
    });
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) throw this.invalid(problem.pos[0], problem.message);
    try {
      document.toJS({ maxAliasCount: ALIASES_MAX });
    } catch (cause) {
      throw this.invalid(0, `${messageOf(cause)}; at most ${ALIASES_MAX} aliases are allowed`);
    }
    const { contents } = document;
    if (contents === null || (isScalar(contents) && contents.value === null)) return [];
    if (!isMap(contents)) throw this.invalid(contents.range?.[0] ?? 0, 'settings must be a mapping of names to values');
    const toJson = (node: Node): Json => node.toJS(document, { maxAliasCount: ALIASES_MAX }) as Json;
    const settings = this.readMap(contents as YAMLMap<unknown, Node>, { path: '', shape: SHAPE, toJson });
    const second = contents.items.map(({ key }) => key).filter((key) => isScalar(key) && ROLES.includes(String(key.value)))[1];
    if (isScalar(second)) throw this.invalid(second.range?.[0] ?? 0, '"roles" and "agent_roles" are the same setting; keep one of them');
    return settings;
  }

  private text(): string {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(readPlainFile(this.file));
    } catch (cause) {
      throw this.invalid(0, `cannot read the file as UTF-8 text: ${messageOf(cause)}`);
    }
  }

  private readMap(map: YAMLMap<unknown, Node>, at: Level): Setting[] {
    return map.items.flatMap((pair) => this.readPair(pair, at));
  }

  private readPair(pair: Pair<unknown, Node>, { path, shape, toJson }: Level): Setting[] {
    const offset = isScalar(pair.key) ? (pair.key.range?.[0] ?? 0) : 0;
    const name = isScalar(pair.key) ? String(pair.key.value) : '';
    const key = path === '' ? name : `${path}.${name}`;
    const isReserved = path === '' && RESERVED.includes(name);
    const below = Object.hasOwn(shape, name) ? shape[name] : shape['*'];
    if (below === undefined && !isReserved) throw this.unknown(offset, name, { path, shape });
    const value = pair.value === null ? null : toJson(pair.value);
    const leaf = { digest: this.digest, key, value, position: this.place(offset) };
    if (below === undefined) return [{ ...leaf, isUsed: false }];
    if (typeof below === 'function') {
      const wrong = below(value);
      const at = pair.value?.range?.[0] ?? offset;
      if (typeof wrong === 'string') throw this.invalid(at, `"${key}" must be ${wrong}`);
      if (wrong !== undefined)
        throw this.invalid(offsetOf(pair.value, wrong.path) ?? at, `"${[key, ...wrong.path].join('.')}" ${wrong.what}`);
      // A budget is normalised, with its time in milliseconds.
      return [{ ...leaf, ...(path === 'budgets' ? { value: readBudget(value as JsonObject) as Json } : {}), isUsed: true }];
    }
    if (!isMap(pair.value)) throw this.invalid(pair.value?.range?.[0] ?? offset, `"${key}" must be a mapping of names to values`);
    return this.readMap(pair.value as YAMLMap<unknown, Node>, { path: key, shape: below, toJson });
  }

  private unknown(offset: number, name: string, { path, shape }: Pick<Level, 'path' | 'shape'>): EngineError {
    const known = [...Object.keys(shape), ...(path === '' ? RESERVED : [])];
    const where = path === '' ? '' : ` under "${path}"`;
    return this.invalid(offset, `unknown setting "${name}"${where}${didYouMean(name, known)}; known settings: ${known.join(', ')}`);
  }

  private place(offset: number): { readonly line: number; readonly column: number } {
    const { line, col } = this.lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }

  private invalid(offset: number, what: string): EngineError {
    return new EngineError('CONFIG_INVALID', what, { position: { file: this.file, ...this.place(offset) } });
  }
}

interface Level {
  readonly path: string;
  readonly shape: { readonly [key: string]: Shape };
  readonly toJson: (node: Node) => Json;
}

/** The offset of the value at a path inside a value; if it is missing, of the nearest value around it. */
function offsetOf(value: Node | null, path: Fault['path']): number | undefined {
  if (path.length === 0 || !isCollection(value)) return value?.range?.[0];
  const [head, ...rest] = path;
  const below = value.get(head, true);
  return isNode(below) ? offsetOf(below, rest) : value.range?.[0];
}
