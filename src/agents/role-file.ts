// Owns the file of a role, `.pawl/agents/<role>.md`: front matter between two `---` lines with the driver and
// permissions of the role, followed by its prompt. The front matter is YAML 1.2, core schema.

import { isCollection, isMap, isNode, LineCounter, type Node, parseDocument } from 'yaml';
import { EngineError, messageOf } from '../base/error.ts';
import type { JsonObject } from '../base/json.ts';
import { type Fault, parseShape } from '../base/shape.ts';
import { type RoleFields, roleFieldsOf, writtenRole } from './role-fields.ts';

/** The content of a role's file. */
export interface RoleFile extends RoleFields {
  /** The start of every prompt for this role. Absent if the file ends after its front matter. */
  readonly prompt?: string;
}

const CHARACTERS_MAX = 1_000_000;
const FRONT_CHARACTERS_MAX = 65_536;
const ALIASES_MAX = 100;
const FENCE = /^---[ \t]*$/;

/** Parses a role's file; CONFIG_INVALID with the position of a mistake. */
export function parseRoleFile(file: string, text: string): RoleFile {
  const { front, body } = new RoleReader(file, text).read();
  const prompt = body.trim();
  return { ...front, ...(prompt === '' ? {} : { prompt }) };
}

class RoleReader {
  private readonly file: string;
  private readonly text: string;
  private readonly places = new LineCounter();

  constructor(file: string, text: string) {
    this.file = file;
    this.text = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  }

  read(): { readonly front: RoleFields; readonly body: string } {
    if (this.text.length > CHARACTERS_MAX)
      throw this.invalid({ line: 1, column: 1 }, `the file has ${this.text.length} characters; a role may have at most ${CHARACTERS_MAX}`);
    const lines = this.text.split('\n');
    if (!FENCE.test(lines[0] as string)) return { front: {}, body: this.text };
    const end = lines.findIndex((line, index) => index > 0 && FENCE.test(line));
    if (end < 0) throw this.invalid({ line: 1, column: 1 }, 'the front matter does not end; add a closing line "---"');
    return { front: this.front(lines.slice(1, end).join('\n')), body: lines.slice(end + 1).join('\n') };
  }

  private front(yaml: string): RoleFields {
    if (yaml.length > FRONT_CHARACTERS_MAX)
      throw this.invalidAt(0, `the front matter has ${yaml.length} characters; at most ${FRONT_CHARACTERS_MAX} are allowed`);
    const document = this.document(yaml);
    const { contents } = document;
    const value = this.plain(() => document.toJS({ maxAliasCount: ALIASES_MAX }) as JsonObject | null);
    if (contents === null || value === null) return {};
    if (!isMap(contents)) throw this.invalidAt(contents.range?.[0] ?? 0, 'the front matter must be a mapping of fields to values');
    return roleFieldsOf(
      parseShape(writtenRole, value, ({ path, what }) => this.invalidAt(offsetOf(contents, path), `"${path.join('.')}" ${what}`)),
    );
  }

  private document(yaml: string): ReturnType<typeof parseDocument> {
    const options = { version: '1.2', schema: 'core', uniqueKeys: true, prettyErrors: false, lineCounter: this.places } as const;
    const document = this.plain(() => parseDocument(yaml, options));
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) throw this.invalidAt(problem.pos[0], problem.message);
    return document;
  }

  // The parser throws its own error for a text with endless nesting or aliases.
  private plain<T>(read: () => T): T {
    try {
      return read();
    } catch (cause) {
      throw this.invalidAt(0, `the front matter cannot be parsed: ${messageOf(cause)}`);
    }
  }

  // The front matter starts on the second line of the file.
  private invalidAt(offset: number, message: string): EngineError {
    const { line, col } = this.places.linePos(offset);
    return this.invalid({ line: Math.max(1, line) + 1, column: Math.max(1, col) }, message);
  }

  private invalid(position: { readonly line: number; readonly column: number }, message: string): EngineError {
    return new EngineError('CONFIG_INVALID', message, { position: { file: this.file, ...position } });
  }
}

/** Returns the offset of the value at a path, or of the nearest existing parent. For a wrong key it is the key's offset. */
function offsetOf(node: Node, path: Fault['path']): number {
  const start = node.range?.[0] ?? 0;
  const [head, ...rest] = path;
  if (head === undefined || !isCollection(node)) return start;
  const below: unknown = node.get(head, true);
  return isNode(below) ? offsetOf(below, rest) : start;
}
