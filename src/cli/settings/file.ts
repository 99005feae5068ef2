// Parses a settings file: strict YAML 1.2 (unique keys, no tags, few aliases), with the positions of faults for messages. Loaded
// only if such a file exists.

import { statSync } from 'node:fs';
import { isCollection, isMap, isNode, isScalar, LineCounter, type Node, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { digestText } from '../../base/digest.ts';
import { EngineError, messageOf } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import { readPlainFile } from '../../base/plain-file.ts';
import type { Fault } from '../../base/shape.ts';
import { didYouMean } from '../../base/suggest.ts';
import { SETTINGS, type SettingGroup } from './known-settings.ts';

const BYTES_MAX = 1024 * 1024;
const ALIASES_MAX = 100;

/** A setting of a file, with its dotted key, the names in it, and its position. */
export interface Setting {
  readonly path: readonly string[];
  readonly key: string;
  readonly value: Json;
  readonly position: { readonly line: number; readonly column: number };
  readonly digest: string;
  /** False for reserved names: accepted, but not used yet. */
  readonly isUsed: boolean;
}

const RESERVED = ['budget'];
/** Two names of the same setting. */
const ROLES = ['roles', 'agent_roles'];

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
    const settings = this.readMap(contents as YAMLMap<unknown, Node>, { path: [], group: SETTINGS, toJson });
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

  private readPair(pair: Pair<unknown, Node>, { path: above, group, toJson }: Level): Setting[] {
    const offset = isScalar(pair.key) ? (pair.key.range?.[0] ?? 0) : 0;
    const name = isScalar(pair.key) ? String(pair.key.value) : '';
    const path = [...above, name];
    const key = path.join('.');
    const isReserved = above.length === 0 && RESERVED.includes(name);
    const child = Object.hasOwn(group, name) ? group[name] : group['*'];
    if (child === undefined && !isReserved) throw this.unknown(offset, name, { path: above, group });
    const value = pair.value === null ? null : toJson(pair.value);
    const setting = { digest: this.digest, path, key, value, position: this.positionAt(offset) };
    if (child === undefined) return [{ ...setting, isUsed: false }];
    if (typeof child === 'function') {
      const fault = child(value);
      if (fault !== undefined)
        throw this.invalid(offsetOf(pair.value, fault.path) ?? offset, `"${[key, ...fault.path].join('.')}" ${fault.what}`);
      return [{ ...setting, value: child.kept?.(value) ?? value, isUsed: true }];
    }
    if (!isMap(pair.value)) throw this.invalid(pair.value?.range?.[0] ?? offset, `"${key}" must be a mapping of names to values`);
    return this.readMap(pair.value as YAMLMap<unknown, Node>, { path, group: child, toJson });
  }

  private unknown(offset: number, name: string, { path, group }: Pick<Level, 'path' | 'group'>): EngineError {
    const known = [...Object.keys(group), ...(path.length === 0 ? RESERVED : [])];
    const where = path.length === 0 ? '' : ` under "${path.join('.')}"`;
    return this.invalid(offset, `unknown setting "${name}"${where}${didYouMean(name, known)}; known settings: ${known.join(', ')}`);
  }

  private positionAt(offset: number): { readonly line: number; readonly column: number } {
    const { line, col } = this.lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }

  private invalid(offset: number, message: string): EngineError {
    return new EngineError('CONFIG_INVALID', message, { position: { file: this.file, ...this.positionAt(offset) } });
  }
}

interface Level {
  readonly path: readonly string[];
  readonly group: SettingGroup;
  readonly toJson: (node: Node) => Json;
}

/** The offset of the value at a path; if it is missing, of the nearest value around it. */
function offsetOf(value: Node | null, path: Fault['path']): number | undefined {
  if (path.length === 0 || !isCollection(value)) return value?.range?.[0];
  const [head, ...rest] = path;
  const below = value.get(head, true);
  return isNode(below) ? offsetOf(below, rest) : value.range?.[0];
}
