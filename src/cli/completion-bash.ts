// Owns the completion of bash, from 3.2 on and without the bash-completion package. The script keeps what the commands
// take as two `case` lists; a function finds the place of the cursor.
//
// Words are compared one by one and never given to `compgen -W`, which would run what stands in `$(…)` of a word.

import type { CommandOffer, Offer } from './completion.ts';
import { quoted } from './completion.ts';

/** The script for bash. */
export function bashScript(commands: readonly CommandOffer[]): string {
  return `# Completion of pawl for bash. Made by "pawl completion bash"; make it anew after an update.

# What a command takes as options; without a command, the commands.
_pawl_names() {
  case $1 in
${commands.map(({ name, options }) => `    ${name}) names='${options.flatMap(({ name: option }) => `--${option}`).join(' ')}' ;;`).join('\n')}
    '') names='${commands.map(({ name }) => name).join(' ')} help --help --version' ;;
    *) names='' ;;
  esac
}

# What stands after an option of a command, or at a place of it: words, ask, files, folders, any; nothing after a switch.
_pawl_kind() {
  case "$1 $2" in
${commands.flatMap(casesOf).join('\n')}
    'help 1') kind='words ${commands.map(({ name }) => name).join(' ')}' ;;
    *) kind='' ;;
  esac
}

${FINDER}
complete -F _pawl pawl
`;
}

function casesOf({ name, options, places }: CommandOffer): string[] {
  const cases = options.flatMap((option) => {
    if (option.value === undefined) return [];
    const flags = [`--${option.name}`, ...(option.short === undefined ? [] : [`-${option.short}`])];
    return [caseOf(flags.map((flag) => `'${name} ${flag}'`).join(' | '), option.value.offer)];
  });
  const words = places.map(({ many, offer }, index) => caseOf(many ? `'${name} '[0-9]*` : `'${name} ${index + 1}'`, offer));
  return [...cases, ...words];
}

function caseOf(pattern: string, offer: Offer): string {
  return `    ${pattern}) kind=${quoted(kindOf(offer))} ;;`;
}

function kindOf(offer: Offer): string {
  if (offer.kind === 'words') return ['words', ...offer.words].join(' ');
  return offer.kind === 'ask' ? `ask ${offer.what}` : offer.kind;
}

const FINDER = `_pawl_offer() {
  local word
  while IFS= read -r word; do
    [[ -n $word && $word == "$cur"* ]] && COMPREPLY+=("$word")
  done
}

_pawl() {
  local cur word glue='' kind='' names='' command='' expect='' only='' attached='' place=0 i line=()
  COMPREPLY=()
  # bash takes "--db=x" apart at the "="; here it is one word again.
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ \${#line[@]} -gt 0 && ( $word == '=' || -n $glue ) ]]; then
      line[\${#line[@]}-1]+=$word
      glue=''
      [[ $word == '=' ]] && glue=1
    else
      line+=("$word")
    fi
  done
  for (( i = 0; i < \${#line[@]} - 1; i++ )); do
    word=\${line[i]}
    if [[ -n $expect ]]; then
      expect=''
    elif [[ -z $only && $word == -- ]]; then
      only=1
    elif [[ -z $only && $word == -?* ]]; then
      kind=''
      [[ $word == --*=* ]] || _pawl_kind "$command" "$word"
      expect=$kind
    elif [[ -z $command ]]; then
      command=$word
    else
      place=$(( place + 1 ))
    fi
  done
  cur=\${line[\${#line[@]}-1]}
  if [[ -n $expect ]]; then
    kind=$expect
  elif [[ -z $only && $cur == --*=* ]]; then
    _pawl_kind "$command" "\${cur%%=*}"
    [[ \${COMP_WORDS[COMP_CWORD]} == --*=* ]] && attached=\${cur%%=*}=
    cur=\${cur#*=}
  elif [[ -z $command || ( -z $only && $cur == -* ) ]]; then
    _pawl_names "$command"
    kind="words $names"
  else
    _pawl_kind "$command" $(( place + 1 ))
  fi
  case $kind in
    words*) _pawl_offer < <(printf '%s\\n' \${kind#words}) ;;
    ask*) _pawl_offer < <(command pawl completion bash --words "\${kind#ask }" -- "\${line[@]}" 2>/dev/null) ;;
    files)
      compopt -o filenames 2>/dev/null
      _pawl_offer < <(compgen -f -- "$cur")
      ;;
    folders)
      compopt -o filenames 2>/dev/null
      _pawl_offer < <(compgen -d -- "$cur")
      ;;
  esac
  [[ -n $attached ]] && COMPREPLY=("\${COMPREPLY[@]/#/$attached}")
  return 0
}`;
