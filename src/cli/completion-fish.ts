// Owns the completion of fish: one `complete` line per word, chosen by the command and the number of words before.

import type { CommandOffer, Offer, OptionOffer } from './completion.ts';

/** The script for fish. */
export function fishScript(commands: readonly CommandOffer[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  return `# Completion of pawl for fish. Made by "pawl completion fish"; make it anew after an update.

# Options that take the next word.
set -g __pawl_valued ${valued(commands).join(' ')}

# True while the command is still to come.
function __pawl_no_command
    test (count (commandline -opc)) -eq 1
end

# True after a command; with a number, at this place of its words.
function __pawl_at
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test $words[2] = $argv[1]; or return 1
    test (count $argv) -eq 1; and return 0
    set -l places
    set -l before
    for word in $words[3..]
        if not string match -q -- '-*' $word; and not contains -- "$before" $__pawl_valued
            set -a places $word
        end
        set before $word
    end
    switch $argv[2]
        case '*+'
            test (count $places) -ge (math (string trim -r -c + $argv[2]) - 1)
        case '*'
            test (count $places) -eq (math $argv[2] - 1)
    end
end

# Words that only the project knows.
function __pawl_ask
    set -l words (commandline -opc) (commandline -ct)
    command pawl completion fish --words $argv[1] -- $words[2..] 2>/dev/null
end

complete -c pawl -f
complete -c pawl -n __pawl_no_command -a help -d 'show the help of a command'
complete -c pawl -n '__pawl_at help 1' -a ${quotedForFish(names)}
${commands.flatMap(linesOf).join('\n')}
`;
}

function valued(commands: readonly CommandOffer[]): string[] {
  const flags = commands.flatMap(({ options }) =>
    options
      .filter(({ value }) => value !== undefined)
      .flatMap(({ name, short }) => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])]),
  );
  return [...new Set(flags)];
}

function linesOf({ name, summary, options, places }: CommandOffer): string[] {
  return [
    `complete -c pawl -n __pawl_no_command -a ${name} -d ${quotedForFish(summary)}`,
    ...options.map((option) => `complete -c pawl -n ${quotedForFish(`__pawl_at ${name}`)}${optionWords(option)}`),
    ...places.map(
      ({ many, offer }, index) =>
        `complete -c pawl -n ${quotedForFish(`__pawl_at ${name} ${index + 1}${many ? '+' : ''}`)}${offerWords(offer)}`,
    ),
  ];
}

function optionWords({ name, short, about, value }: OptionOffer): string {
  const flags = ` -l ${name}${short === undefined ? '' : ` -s ${short}`}`;
  const after = value === undefined ? '' : ` -r${offerWords(value.offer)}`;
  return `${flags}${after} -d ${quotedForFish(about)}`;
}

function offerWords(offer: Offer): string {
  switch (offer.kind) {
    case 'words':
      return ` -f -a ${quotedForFish(offer.words.join(' '))}`;
    case 'ask':
      return ` -f -a ${quotedForFish(`(__pawl_ask ${offer.what})`)}`;
    case 'files':
      return ' -F';
    case 'folders':
      return ` -f -a ${quotedForFish('(__fish_complete_directories)')}`;
    case 'any':
      return ' -f';
  }
}

/** A text as one word of fish, which knows the backslash inside of single quotes. */
function quotedForFish(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`;
}
