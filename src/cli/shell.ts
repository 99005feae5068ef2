// Owns the streams, environment and folder of a command, and how it prints. Commands print through this, so that JSON, colour
// and a closed pipe are handled in one place.

import { userInfo } from 'node:os';
import { isAbsolute, relative } from 'node:path';
import type { Ancestor } from '../authority/ancestry.ts';
import type { Right } from '../authority/right.ts';
import { omitUndefined } from '../base/fields.ts';
import { callOf, pasteable, pasteableIn } from './caller.ts';
import type { ParsedArgs } from './command.ts';
import {
  type Column,
  type Display,
  detectDisplay,
  logText,
  oneLine,
  type StyleName,
  type SymbolName,
  styled,
  symbol,
  table,
} from './terminal.ts';

/** The version of all JSON that commands print. */
export const SCHEMA_VERSION = 1;

/** The streams, the environment and the folder of the process that runs a command line. */
export interface ProcessContext {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** When the command started, if not with the process. */
  readonly startedAt?: number;
  /** The parent processes, if they should not be read from the system. */
  readonly ancestors?: () => readonly Ancestor[];
}

type Cells<Item> = Readonly<Record<string, (item: Item) => string>>;

/** How a list is printed: the line for an empty one, and the lines of each item, or its cells by the titles of their columns. */
type Listing<Item> = { readonly none: string } & (
  | { readonly lines: (item: Item) => string | readonly string[] }
  | {
      readonly columns: Cells<Item>;
      readonly shrinks?: Readonly<Record<string, Column['shrinks']>>;
    }
);

/** The context of one command. */
export class Shell {
  readonly context: ProcessContext;
  readonly args: ParsedArgs;
  readonly env: ProcessContext['env'];
  readonly display: Display;
  /** True when stdout is for programs. */
  readonly wantsJson: boolean;
  /** The output format, for commands that have several; undefined for the default. */
  readonly format: string | undefined;
  /** The --project and --db options as given, for printed commands that can be pasted. */
  readonly named: readonly (readonly [option: string, value: string])[];
  /** The caller's right, after it was checked. */
  right: Right | undefined;
  /** Aborted when stdout was closed: commands that only print can stop. */
  readonly closed: AbortSignal;

  constructor(context: ProcessContext, args: ParsedArgs) {
    this.context = context;
    this.args = args;
    this.env = context.env;
    this.wantsJson = args.has('json');
    this.format = args.option('format');
    this.named = ['project', 'db'].flatMap((option) => args.options(option).map((value) => [option, value] as const));
    this.display = detectDisplay(context.stdout, context.env, { noColor: args.has('no-color') || this.wantsJson });
    const closing = new AbortController();
    this.closed = closing.signal;
    context.stdout.on('error', () => closing.abort());
  }

  /** The folder in which the command was started. Read on demand, because it may no longer exist. */
  get cwd(): string {
    return this.context.cwd;
  }

  /** True when a person can be asked: stdin and stdout are a terminal. */
  get isInteractive(): boolean {
    return this.display.isTerminal && this.context.stdin.isTTY === true && !this.wantsJson;
  }

  /** The name to record for this command's actions: from the right that was checked, else from the account. */
  get actor(): string {
    return this.right?.actor ?? this.account;
  }

  /** The user of the operating system. */
  get account(): string {
    try {
      return userInfo().username;
    } catch {
      // In some containers the user id has no account.
      return this.env.USER ?? this.env.USERNAME ?? 'unknown';
    }
  }

  /** How the user calls Pawl: `pawl`, or `npx pawl`. */
  get program(): string {
    return callOf(this);
  }

  /** A command with the --project and --db of this one, to be pasted. */
  pasteable(command: string): string {
    return pasteable(this, command);
  }

  /** The path of a file for people: relative if the file is below the current folder. */
  shownFile(file: string): string {
    const path = relative(this.cwd, file);
    return oneLine(path === '' || path.startsWith('..') || isAbsolute(path) ? file : path);
  }

  /** Prints a line for people; silent when stdout is for programs. */
  print(text = ''): void {
    if (!this.wantsJson) this.write(`${pasteableIn(this, text)}\n`);
  }

  /** Prints the command's result, as JSON with --json, else as lines. Returns the exit code for success. */
  result(value: object, lines: () => readonly string[]): 0 {
    if (this.wantsJson) this.write(`${JSON.stringify({ schemaVersion: SCHEMA_VERSION, ...value }, null, 2)}\n`);
    else for (const line of lines()) this.write(`${pasteableIn(this, line)}\n`);
    return 0;
  }

  /** Prints a result that is a list: as JSON with --json, else each item, or `none` if there is no item. */
  list<Item>(value: object, items: readonly Item[], listing: Listing<Item>): 0 {
    return this.result(value, () => {
      if (items.length === 0) return [listing.none];
      if ('lines' in listing) return items.flatMap(listing.lines);
      return this.table(items, listing.columns, listing.shrinks);
    });
  }

  /** The lines of a table with a row per item: its cells by the titles of their columns. */
  table<Item>(items: readonly Item[], cells: Cells<Item>, shrinks: Readonly<Record<string, Column['shrinks']>> = {}): string[] {
    const columns = Object.entries(cells);
    return table(
      this.display,
      columns.map(([title, cell]) => ({ title, cells: items.map(cell), ...omitUndefined({ shrinks: shrinks[title] }) })),
    );
  }

  /** Writes to stdout unchanged; does nothing once stdout is closed. */
  write(text: string): void {
    if (!this.closed.aborted) this.context.stdout.write(text);
  }

  warn(text: string): void {
    this.context.stderr.write(`pawl: ${logText(pasteableIn(this, text), this.env)}\n`);
  }

  style(style: StyleName, text: string): string {
    return styled(this.display, style, text);
  }

  symbol(name: SymbolName): string {
    return symbol(this.display, name);
  }
}
