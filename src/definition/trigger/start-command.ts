// Owns the command that starts a workflow from a comment: `/review depth=2 area="the API"`, alone on the first line. The
// rest of the line are values for the workflow's parameters, as data. `/pawl` is reserved for commands to open runs.

import { EngineError } from '../../base/error.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { ArgModel } from '../model.ts';
import { argFromText } from '../param/arg.ts';

/** A command as a workflow in TypeScript states it. */
export interface StartCommandSpec {
  /** The word after the slash: `review` is started by `/review`. */
  readonly command: string;
}

const NAME = /^[a-z][a-z0-9-]{0,39}$/;
const LINE_MAX = 4000;
/** Characters that cannot be seen, or that reorder a line. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/u;

/** Returns what is wrong with the name of a command, if anything. */
export function commandProblem(name: unknown): { readonly message: string; readonly hint: string } | undefined {
  if (typeof name !== 'string' || !NAME.test(name))
    return {
      message: `a command must consist of lowercase letters, digits and hyphens, not ${JSON.stringify(name)}`,
      hint: 'write a word such as review',
    };
  return name === 'pawl'
    ? { message: '"/pawl" is reserved for commands to open runs', hint: 'choose another word, such as review' }
    : undefined;
}

/** A comment that may start a workflow. */
export interface WrittenStart {
  readonly command: string;
  /** The text after the command. */
  readonly text: string;
}

/** The command on the first line of a comment; on that line nothing can be quoted, in a code block or hidden. */
export function startIn(body: string): WrittenStart | undefined {
  const [first = ''] = body.split(/\r\n|\r|\n/);
  const [, command, text = ''] = /^\/([a-z][a-z0-9-]{0,39})(?: (.*))?$/.exec(first) ?? [];
  if (command === undefined || command === 'pawl' || first.length > LINE_MAX || HIDDEN.test(first)) return undefined;
  return { command, text: text.trim() };
}

const WORD = /^([\w-]+)=(?:"([^"]*)"|([^\s"]*))(?: +|$)/;

/** The parameters after a command. Throws PARAMS_INVALID for anything that is not `name=value` or `name="value"`. */
export function paramsBehind({ command, text }: WrittenStart, declared: Readonly<Record<string, ArgModel>>): JsonObject {
  const found = new Map<string, Json>();
  for (let rest = text; rest !== ''; ) {
    const [whole, name, quoted, plain = ''] = WORD.exec(rest) ?? [];
    if (whole === undefined || name === undefined || found.has(name))
      throw new EngineError(
        'PARAMS_INVALID',
        `after /${command}, write each parameter once as name=value or name="a value"; "${rest.slice(0, 100)}" is not a parameter`,
      );
    found.set(name, argFromText(quoted ?? plain, Object.hasOwn(declared, name) ? declared[name]?.type : undefined));
    rest = rest.slice(whole.length);
  }
  return Object.fromEntries(found);
}
