// Owns parsing a settings file: strict YAML 1.2 (unique keys, no tags, few aliases), known keys, values of the right type,
// and their positions for messages. Loaded only if such a file exists.

import { statSync } from 'node:fs';
import { isCollection, isMap, isNode, isScalar, LineCounter, type Node, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { budgetFieldsFault, readBudget } from '../../agents/role-fields.ts';
import { digestText } from '../../base/digest.ts';
import { EngineError, messageOf } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { readPlainFile } from '../../base/plain-file.ts';
import { didYouMean } from '../../base/suggest.ts';
import { WRITE_KINDS } from '../../definition/forge/forge-write.ts';
import { hookFault, notificationFault } from './events.ts';
import { type Fault, policyFault, roleFault } from './policy.ts';
import {
  count,
  countOrZero,
  duration,
  flag,
  forgeAuth,
  forgeCommands,
  forgeForks,
  isTexts,
  mapping,
  must,
  only,
  orOff,
  text,
  type ValueCheck,
} from './value-checks.ts';

const BYTES_MAX = 1024 * 1024;
const ALIASES_MAX = 100;

/** A setting of a file, with its dotted key and its position. */
export interface Setting {
  readonly key: string;
  readonly value: Json;
  readonly position: { readonly line: number; readonly column: number };
  readonly digest: string;
  /** False for reserved names: accepted, but not used yet. */
  readonly isUsed: boolean;
}

/** The check of a key's value, or the keys below it (`*` matches any). */
type Shape = ValueCheck | { readonly [key: string]: Shape };

const VARIABLE = /^[A-Za-z_]\w*$/;
const SOURCE = 'where its value comes from, such as { env: API_TOKEN }, { file: /run/secrets/token } or { command: [pass, show, api] }';
const DATABASE = 'a mapping with the path of a SQLite file, such as { path: data/project.db, migrations: migrations, row_limit: 1000 }';
const STAGE = 'a command line, a list of other stages, or a mapping with run or argv';

const SHAPE: { readonly [key: string]: Shape } = {
  db: text,
  limits: { global: count, repository: count, roles: { '*': count }, credentials: { '*': count }, keys: { '*': count } },
  validation: { stages: { '*': stageFault } },
  environment: must(
    (value) => Array.isArray(value) && value.every((name) => typeof name === 'string' && VARIABLE.test(name.replace(/\*$/, ''))),
    'a list of variable names, such as [PATH, LC_*]',
  ),
  commands: { '*': must(isTexts, 'a program and its arguments, such as [node, tools/review.mjs]') },
  project: { default_branch: text },
  groups: { '*': must(isTexts, 'a list of people, such as [ann, bob]') },
  forge: {
    kind: must((value) => value === 'local' || value === 'github', '"local" or "github"'),
    ...{ repository: text, state: text, auth: forgeAuth, base_url: text, poll: duration, webhook_secret: text },
    ...{ comments: flag, checks: flag, commands: forgeCommands, self_approval: flag, forks: forgeForks },
  },
  budgets: { run: budgetFieldsFault, day: budgetFieldsFault },
  circuit_breakers: {
    ...{ max_iterations: orOff(count), max_tool_calls: orOff(count), max_turns: orOff(count) },
    ...{ max_active: orOff(duration), max_sleep: orOff(duration) },
  },
  protected: must(isTexts, 'a list of patterns, such as ["test/**"]'),
  secrets: { '*': secretFault },
  databases: { '*': mapping(DATABASE, { path: text, migrations: text, row_limit: count, keep_backups: count }, ['path']) },
  webhooks: { allow: must(isTexts, 'a list of hosts, such as ["127.0.0.1:8080"]') },
  writes: {
    ...Object.fromEntries(WRITE_KINDS.map((kind) => [kind, countOrZero])),
    links: must(isTexts, 'a list of hosts, such as [docs.example.com]'),
  },
  staged: must((value) => value === true, 'true or absent'),
  serve: {
    public_url: must(isAddress, 'the address that people use, such as https://pawl.example.com'),
    trusted_proxy: must(isTexts, 'a list of addresses, such as ["127.0.0.1", "10.0.0.0/8"]'),
    projects: must(isTexts, 'a list of folders of other projects, such as [../shop, ../bank]'),
  },
  hooks: { '*': hookFault },
  notifications: { '*': notificationFault },
  metrics: only('public'),
  decisions: only('signed'),
  mcp: { elicit: only('questions') },
  roles: roleFault,
  agent_roles: roleFault,
  review_policy: policyFault,
};

/** A setting and what its value must be. In keys, `<name>` stands for a name that the author chooses. */
interface KnownSetting {
  readonly key: string;
  readonly value: string;
}

/** All settings that the checks accept. */
export function knownSettings(): KnownSetting[] {
  return settingsIn(SHAPE, []);
}

function settingsIn(shape: { readonly [key: string]: Shape }, path: readonly string[]): KnownSetting[] {
  return Object.entries(shape).flatMap(([name, child]) => {
    const keys = [...path, name === '*' ? '<name>' : name];
    return typeof child === 'function' ? [{ key: keys.join('.'), value: expectationOf(child(null)) }] : settingsIn(child, keys);
  });
}

/** The expected value, taken from the error for a wrong one. */
function expectationOf(wrong: string | Fault | undefined): string {
  return typeof wrong === 'string' ? wrong : (wrong?.what ?? '').replace(/^must be /, '');
}

const RESERVED = ['budget'];
/** Two spellings of the same setting. */
const ROLES = ['roles', 'agent_roles'];

function isAddress(value: Json): boolean {
  return typeof value === 'string' && /^https?:\/\/[^/]+\/?$/.test(value) && URL.canParse(value);
}

const secretFields = mapping(SOURCE, {
  env: must((value) => typeof value === 'string' && VARIABLE.test(value), 'the name of a variable, such as API_TOKEN'),
  file: text,
  command: must(isTexts, 'a program and its arguments, such as [pass, show, api]'),
  hosts: must(isTexts, 'a list of hosts, such as [api.example.com]'),
});

/** A secret is set by its source: a value in a settings file would be stored, copied and committed. */
function secretFault(value: Json): string | Fault | undefined {
  if (!isJsonObject(value)) return `${SOURCE}; the value itself must not be in a settings file`;
  const sources = [value.env, value.file, value.command].filter((source) => source !== undefined);
  return secretFields(value) ?? (sources.length === 1 ? undefined : SOURCE);
}

const stageFields = mapping(STAGE, {
  run: text,
  argv: must(isTexts, 'a program and its arguments, such as [npm, test]'),
  env: must((value) => isJsonObject(value) && Object.values(value).every((one) => typeof one === 'string'), 'a mapping of names to texts'),
  cwd: must((value) => typeof value === 'string', 'a folder'),
  timeoutMs: count,
  tests: only('optional'),
});

function stageFault(value: Json): string | Fault | undefined {
  if (text(value) === undefined || isTexts(value)) return undefined;
  const hasProgram = isJsonObject(value) && (value.run === undefined) !== (value.argv === undefined);
  return stageFields(value) ?? (hasProgram ? undefined : STAGE);
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
    const child = Object.hasOwn(shape, name) ? shape[name] : shape['*'];
    if (child === undefined && !isReserved) throw this.unknown(offset, name, { path, shape });
    const value = pair.value === null ? null : toJson(pair.value);
    const setting = { digest: this.digest, key, value, position: this.place(offset) };
    if (child === undefined) return [{ ...setting, isUsed: false }];
    if (typeof child === 'function') {
      const wrong = child(value);
      const at = pair.value?.range?.[0] ?? offset;
      if (typeof wrong === 'string') throw this.invalid(at, `"${key}" must be ${wrong}`);
      if (wrong !== undefined)
        throw this.invalid(offsetOf(pair.value, wrong.path) ?? at, `"${[key, ...wrong.path].join('.')}" ${wrong.what}`);
      // A budget is normalised, with its time in milliseconds.
      return [{ ...setting, ...(path === 'budgets' ? { value: readBudget(value as JsonObject) as Json } : {}), isUsed: true }];
    }
    if (!isMap(pair.value)) throw this.invalid(pair.value?.range?.[0] ?? offset, `"${key}" must be a mapping of names to values`);
    return this.readMap(pair.value as YAMLMap<unknown, Node>, { path: key, shape: child, toJson });
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

/** The offset of the value at a path; if it is missing, of the nearest value around it. */
function offsetOf(value: Node | null, path: Fault['path']): number | undefined {
  if (path.length === 0 || !isCollection(value)) return value?.range?.[0];
  const [head, ...rest] = path;
  const below = value.get(head, true);
  return isNode(below) ? offsetOf(below, rest) : value.range?.[0];
}
