// Owns what `--help` prints, from the commands' data alone.

import { type ArgumentSpec, COMMON_OPTIONS, type CommandSpec, GROUPS, type OptionSpec } from './command.ts';
import { type Look, styled, widthOf } from './terminal.ts';

/** The help of the program: every command by what it is for. */
export function helpOfAll(look: Look, commands: readonly CommandSpec[]): string[] {
  const heading = (text: string): string => styled(look, 'bold', text);
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    'Pawl runs workflows of agents, people and programs, and lets none of them skip a step.',
    '',
    `${heading('Usage')}  pawl COMMAND [OPTIONS]`,
    ...GROUPS.flatMap((group) => {
      const members = commands.filter((command) => command.group === group);
      return members.length === 0
        ? []
        : ['', heading(group), ...members.map(({ name, summary }) => `  ${styled(look, 'cyan', name.padEnd(width))}  ${summary}`)];
    }),
    '',
    `${heading('Every command takes')}  ${COMMON_OPTIONS.map((option) => optionHead(option)).join('  ')}`,
    '',
    '"pawl COMMAND --help" shows examples. New here? Try "pawl demo".',
  ];
}

/** The help of one command. */
export function helpOf(look: Look, spec: CommandSpec): string[] {
  const heading = (text: string): string => styled(look, 'bold', text);
  const args = spec.args ?? [];
  const options = spec.options ?? [];
  return [
    spec.summary.charAt(0).toUpperCase() + spec.summary.slice(1) + (spec.summary.endsWith('.') ? '' : '.'),
    ...(spec.about === undefined ? [] : ['', ...wrap(spec.about, Math.min(look.columns, 100))]),
    '',
    `${heading('Usage')}  ${usageOf(spec)}`,
    ...section(
      heading('Arguments'),
      args.map((arg) => [arg.name, aboutOf(arg)] as const),
      look,
    ),
    ...section(
      heading('Options'),
      options.map((option) => [optionHead(option), aboutOf(option)] as const),
      look,
    ),
    ...section(
      heading('Every command takes'),
      COMMON_OPTIONS.map((option) => [optionHead(option), option.about] as const),
      look,
    ),
    '',
    heading('Examples'),
    ...spec.examples.flatMap(({ line, about }) => [`  ${styled(look, 'dim', `# ${about}`)}`, `  ${styled(look, 'cyan', line)}`]),
  ];
}

/** `pawl run WORKFLOW [OPTIONS]`. */
export function usageOf(spec: CommandSpec): string {
  const words = (spec.args ?? []).map(({ name, required, many }) => {
    const word = many === true ? `${name}...` : name;
    return required === true ? word : `[${word}]`;
  });
  return ['pawl', spec.name, ...words, ...((spec.options ?? []).length > 0 ? ['[OPTIONS]'] : [])].join(' ');
}

/** `-p, --param NAME=VALUE`. */
export function optionHead({ name, short, value }: OptionSpec): string {
  return `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
}

/** What an argument or option is for, with its choices. */
export function aboutOf({ about, choices }: Pick<ArgumentSpec & OptionSpec, 'about' | 'choices'>): string {
  return choices === undefined ? about : `${about}: ${choices.join(', ')}`;
}

function section(title: string, rows: readonly (readonly [string, string])[], look: Look): string[] {
  if (rows.length === 0) return [];
  const width = Math.max(...rows.map(([head]) => widthOf(head)));
  const room = Math.max(30, Math.min(look.columns, 100) - width - 4);
  return [
    '',
    title,
    ...rows.flatMap(([head, about]) =>
      wrap(about, room).map((line, index) => `  ${(index === 0 ? head : '').padEnd(width)}  ${line}`.trimEnd()),
    ),
  ];
}

/** The text in lines of at most a width, broken at spaces. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
