// Owns what a command has of the world around it: streams, environment, folder, and how to print. A command prints
// through this, so that JSON, pipes, colour and a closed pipe are settled in one place.

import type { Ancestor } from '../authority/ancestry.ts';
import type { Right } from '../authority/right.ts';
import type { Given } from './command.ts';
import { type Look, lookOf, plain, type StyleName, type SymbolName, styled, symbol } from './terminal.ts';

/** The version of all JSON that commands print. */
export const SCHEMA_VERSION = 1;

/** The streams and settings a command line is run with. */
export interface World {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** When the command began, where that is not when the process did. */
  readonly startedAt?: number;
  /** The processes above this one, where they are not to be read from the system. */
  readonly ancestors?: () => readonly Ancestor[];
}

/** The world as one command sees it. */
export class Shell {
  readonly world: World;
  /** The words and options that the command was given. */
  readonly given: Given;
  readonly env: World['env'];
  /** What stdout can show. */
  readonly look: Look;
  /** True when stdout is for programs. */
  readonly wantsJson: boolean;
  /** How the result is written, where the command has several ways; its usual one where nobody said. */
  readonly format: string | undefined;
  /** The project and the database that the user named, for commands that are printed to be pasted. */
  readonly named: readonly (readonly [option: string, value: string])[];
  /** The right that whoever called has shown, once something took one. */
  right: Right | undefined;
  /** Aborted when nobody reads stdout any more: what only prints can stop. */
  readonly closed: AbortSignal;

  constructor(world: World, given: Given) {
    this.world = world;
    this.given = given;
    this.env = world.env;
    this.wantsJson = given.has('json');
    this.format = given.option('format');
    this.named = ['project', 'db'].flatMap((option) => given.options(option).map((value) => [option, value] as const));
    this.look = lookOf(world.stdout, world.env, { noColor: given.has('no-color') || this.wantsJson });
    const closing = new AbortController();
    this.closed = closing.signal;
    world.stdout.on('error', () => closing.abort());
  }

  /** The folder the command was started in; asked for late, since it may be gone and not every command needs it. */
  get cwd(): string {
    return this.world.cwd;
  }

  /** True when a person can be asked: stdin and stdout are a terminal. */
  get isInteractive(): boolean {
    return this.look.isTerminal && this.world.stdin.isTTY === true && !this.wantsJson;
  }

  /** Prints a line for people; silent when stdout is for programs. */
  print(text = ''): void {
    if (!this.wantsJson) this.write(`${text}\n`);
  }

  /** Prints the command's result: as JSON when that was asked for, else as the lines. */
  result(value: object, lines: () => readonly string[]): void {
    if (this.wantsJson) this.write(`${JSON.stringify({ schemaVersion: SCHEMA_VERSION, ...value }, null, 2)}\n`);
    else for (const line of lines()) this.write(`${line}\n`);
  }

  /** Writes to stdout as it is; nothing once the reader has gone. */
  write(text: string): void {
    if (!this.closed.aborted) this.world.stdout.write(text);
  }

  /** Tells people something that is not the result. */
  warn(text: string): void {
    this.world.stderr.write(`pawl: ${plain(text)}\n`);
  }

  /** The text in a style, where stdout has colour. */
  style(style: StyleName, text: string): string {
    return styled(this.look, style, text);
  }

  /** A symbol that stdout can show. */
  symbol(name: SymbolName): string {
    return symbol(this.look, name);
  }
}
