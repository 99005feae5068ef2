// Parses a command line by a command's spec. A mistake is a USAGE error that names the invalid word, the nearest valid
// one, and the help.

import type { EngineError } from '../base/error.ts';
import { didYouMean } from '../base/suggest.ts';
import { type ArgumentSpec, COMMON_OPTIONS, type CommandSpec, commandError, type OptionSpec, ParsedArgs } from './command.ts';

/** Parses the arguments and options of one command; `argv` begins after the command's name. */
export function parseCommand(spec: CommandSpec, argv: readonly string[]): ParsedArgs {
  const parser = new Parser(spec);
  let onlyWords = false;
  for (let index = 0; index < argv.length; index += 1) {
    const token = argv[index] as string;
    if (!onlyWords && token === '--') onlyWords = true;
    else if (!onlyWords && token.startsWith('--')) index += parser.long(token, argv[index + 1]);
    else if (!onlyWords && /^-[A-Za-z]/.test(token)) index += parser.short(token, argv[index + 1]);
    else parser.words.push(token);
  }
  return parser.finish();
}

class Parser {
  readonly words: string[] = [];
  private readonly spec: CommandSpec;
  private readonly known: readonly OptionSpec[];
  private readonly values = new Map<string, string[]>();
  private readonly flags = new Set<string>();

  constructor(spec: CommandSpec) {
    this.spec = spec;
    this.known = [...(spec.options ?? []), ...COMMON_OPTIONS];
  }

  /** Parses `--name`, `--name=value` or `--name value`; returns how many of the next words it consumed. */
  long(token: string, next: string | undefined): number {
    const equals = token.indexOf('=');
    const name = token.slice(2, equals === -1 ? undefined : equals);
    const option = this.known.find((candidate) => candidate.name === name || candidate.formerly === name);
    if (option === undefined) throw this.unknown(`--${name}`);
    return this.take(option, equals === -1 ? undefined : token.slice(equals + 1), next);
  }

  /** Parses `-x`, `-xVALUE`, `-x=VALUE` or `-x VALUE`. */
  short(token: string, next: string | undefined): number {
    const option = this.known.find((candidate) => candidate.short === token[1]);
    if (option === undefined) throw this.unknown(token);
    const rest = token.slice(2);
    if (option.value === undefined && rest !== '')
      throw this.usage(`option "-${option.short}" does not take a value, so "${token}" is invalid`);
    return this.take(option, rest === '' ? undefined : rest.replace(/^=/, ''), next);
  }

  private unknown(word: string): EngineError {
    const long = this.known.map(({ name }) => `--${name}`);
    const short = this.known.flatMap((option) => (option.short === undefined ? [] : [`-${option.short}`]));
    // `-limit` for `--limit`, or `--f` for `-f`.
    const similar = [...long, ...short].find((name) => name === `-${word}` || `-${name}` === word);
    const hint = similar === undefined ? didYouMean(word, long) : ` (did you mean "${similar}"?)`;
    return this.usage(`unknown option "${word}"${hint}`);
  }

  private take(option: OptionSpec, attached: string | undefined, next: string | undefined): number {
    if (option.value === undefined) {
      if (attached !== undefined) throw this.usage(`option "--${option.name}" does not take a value`);
      this.flags.add(option.name);
      return 0;
    }
    const value = attached ?? option.alone ?? next;
    if (value === undefined || (attached === undefined && option.alone === undefined && next?.startsWith('--') === true))
      throw this.usage(`option "--${option.name}" needs a value: --${option.name} ${option.value}`);
    this.checkChoice(`option "--${option.name}"`, value, option.choices);
    const before = this.values.get(option.name) ?? [];
    if (before.length > 0 && option.many !== true) throw this.usage(`option "--${option.name}" may be given only once`);
    this.values.set(option.name, [...before, value]);
    return attached === undefined && option.alone === undefined ? 1 : 0;
  }

  finish(): ParsedArgs {
    const args = this.spec.args ?? [];
    const taken = new Map<string, readonly string[]>();
    if (!this.flags.has('help')) {
      let at = 0;
      for (const arg of args) {
        const words = arg.many === true ? this.words.slice(at) : this.words.slice(at, at + 1);
        this.checkWords(arg, words);
        taken.set(arg.name, words);
        at += words.length;
      }
      const extra = this.words[at];
      if (extra !== undefined) throw this.usage(`unexpected argument "${extra}"`);
    }
    return new ParsedArgs(taken, this.values, this.flags);
  }

  private checkWords(arg: ArgumentSpec, words: readonly string[]): void {
    if (arg.required === true && words.length === 0) throw this.usage(`${arg.name} is missing: ${arg.about}`);
    for (const value of words) this.checkChoice(arg.name, value, arg.choices);
  }

  private checkChoice(label: string, value: string, choices: readonly string[] | undefined): void {
    if (choices === undefined || choices.includes(value)) return;
    throw this.usage(`${label} must be one of ${choices.join(', ')}, not "${value}"${didYouMean(value, choices)}`);
  }

  private usage(message: string): EngineError {
    return commandError(this.spec.name, message);
  }
}
