// Owns the completion of zsh: one function per command, each a call of `_arguments`.

import type { CommandOffer, Offer, OptionOffer } from './completion.ts';
import { quoted } from './completion.ts';

/** The script for zsh; it can be sourced, or put on `fpath` as `_pawl`. */
export function zshScript(commands: readonly CommandOffer[]): string {
  return `#compdef pawl
# Completion of pawl for zsh. Made by "pawl completion zsh"; make it anew after an update.

# Words that only the project knows.
_pawl_ask() {
  local -a found
  found=("\${(@f)$(command pawl completion zsh --words $1 -- "\${(@)_pawl_line}" 2>/dev/null)}")
  compadd -- \${found:#}
}

_pawl() {
  local curcontext=$curcontext state line
  local -a _pawl_line
  _pawl_line=("\${(@)words[2,CURRENT]}")
  _arguments -C '1: :->command' '*:: :->words'
  case $state in
    command)
      local -a commands
      commands=(
${commands.map(({ name, summary }) => `        ${quoted(`${name}:${summary.replaceAll(':', '\\:')}`)}`).join('\n')}
      )
      _describe command commands
      ;;
    words)
      case $line[1] in
${commands.map(functionOf).join('\n')}
      esac
      ;;
  esac
}

if [[ $funcstack[1] == _pawl ]]; then _pawl "$@"; else compdef _pawl pawl; fi
`;
}

function functionOf({ name, options, places }: CommandOffer): string {
  const specs = [
    ...options.flatMap(optionSpecs),
    ...places.map(({ name: place, many, required, offer }) => `${many ? '*:' : required ? ':' : '::'}${place}:${actionOf(offer)}`),
  ];
  return `        ${name})
          _arguments -s -S \\
${specs.map((spec) => `            ${quoted(spec)}`).join(' \\\n')}
          ;;`;
}

function optionSpecs({ name, short, about, many, value }: OptionOffer): string[] {
  const flags = [...(short === undefined ? [] : [`-${short}`]), `--${name}`];
  const rest = `[${escaped(about)}]${value === undefined ? '' : `:${escaped(value.name)}:${actionOf(value.offer)}`}`;
  const others = many ? '*' : flags.length > 1 ? `(${flags.join(' ')})` : '';
  return flags.map((flag) => `${others}${flag}${value === undefined ? '' : flag.startsWith('--') ? '=' : '+'}${rest}`);
}

function actionOf(offer: Offer): string {
  switch (offer.kind) {
    case 'words':
      return `(${offer.words.join(' ')})`;
    case 'ask':
      return `{_pawl_ask ${offer.what}}`;
    case 'files':
      return '_files';
    case 'folders':
      return '_files -/';
    case 'any':
      return ' ';
  }
}

function escaped(text: string): string {
  return text.replace(/[[\]:\\]/g, '\\$&');
}
