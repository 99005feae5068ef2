// Owns what a shell is told of the command line, from the commands' data alone: which words can follow which. How a
// shell is told is the file of that shell; words that only the project knows are asked for when they are needed.

import { type ArgumentSpec, COMMON_OPTIONS, type CommandSpec, type OptionSpec } from './command.ts';

/** What can stand at a place of a command line. `ask` is put to `pawl completion SHELL --words`. */
export type Offer =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'ask'; readonly what: AskedWords }
  | { readonly kind: 'files' | 'folders' | 'any' };

/** A kind of word that only the project knows. */
export type AskedWords = 'run' | 'workflow' | 'step';

/** An option as a shell sees it; without an offer it is a switch. */
export interface OptionOffer {
  readonly name: string;
  readonly short: string | undefined;
  readonly about: string;
  readonly many: boolean;
  readonly value: { readonly name: string; readonly offer: Offer } | undefined;
}

/** A word by its place, as a shell sees it. */
export interface PlaceOffer {
  readonly name: string;
  readonly many: boolean;
  readonly required: boolean;
  readonly offer: Offer;
}

/** A command as a shell sees it. */
export interface CommandOffer {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OptionOffer[];
  readonly places: readonly PlaceOffer[];
}

/** Every command as a shell sees it. */
export function offersOf(commands: readonly CommandSpec[]): CommandOffer[] {
  const names = commands.map(({ name }) => name);
  return commands.map(({ name, summary, options = [], args = [] }) => ({
    name,
    summary,
    options: [...options, ...COMMON_OPTIONS].map((option) => ({
      name: option.name,
      short: option.short,
      about: option.about,
      many: option.many === true,
      value: option.value === undefined ? undefined : { name: option.value, offer: offerOf(option, names) },
    })),
    places: args.map((arg) => ({
      name: arg.name,
      many: arg.many === true,
      required: arg.required === true,
      offer: offerOf(arg, names),
    })),
  }));
}

function offerOf({ choices, completes }: ArgumentSpec | OptionSpec, commands: readonly string[]): Offer {
  if (choices !== undefined) return { kind: 'words', words: choices };
  switch (completes) {
    case 'run':
    case 'workflow':
    case 'step':
      return { kind: 'ask', what: completes };
    case 'file':
      return { kind: 'files' };
    case 'folder':
      return { kind: 'folders' };
    case 'command':
      return { kind: 'words', words: commands };
    default:
      return { kind: 'any' };
  }
}

/** A text as one word of a shell, whatever is in it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
