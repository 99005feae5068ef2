// Renders `--help` from the commands' data alone.

import { type ArgumentSpec, COMMON_OPTIONS, type CommandSpec, GROUPS, type OptionSpec } from './command.ts';
import { type Display, styled, widthOf } from './terminal.ts';

/** The minimum width of the second column; if less is left, it is printed below the first. */
const ROOM_MIN = 24;

/** The help of the program: every command, by group. */
export function helpOfAll(display: Display, commands: readonly CommandSpec[]): string[] {
  const heading = (text: string): string => styled(display, 'bold', text);
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    ...wrap('Pawl runs workflows of agents, people and programs, and lets none of them skip a step.', availableWidth(display)),
    '',
    `${heading('Usage')}  pawl COMMAND [OPTIONS]`,
    ...GROUPS.flatMap((group) =>
      section(
        heading(group),
        commands.filter((command) => command.group === group).map(({ name, summary }) => [name, summary] as const),
        { display, width, style: (head) => styled(display, 'cyan', head) },
      ),
    ),
    ...section(heading('Common options'), COMMON_ROWS, { display, width: headWidth(COMMON_ROWS) }),
    '',
    ...wrap('"pawl COMMAND --help" shows examples. New here? Try "pawl demo".', availableWidth(display)),
  ];
}

/** The help of one command. */
export function helpOf(display: Display, spec: CommandSpec): string[] {
  const heading = (text: string): string => styled(display, 'bold', text);
  const { args = [], options = [] } = spec;
  const rows = {
    arguments: args.map((arg) => [arg.name, aboutOf(arg)] as const),
    options: options.map((option) => [optionHead(option), aboutOf(option)] as const),
  };
  const width = headWidth([...rows.arguments, ...rows.options, ...COMMON_ROWS]);
  return [
    ...wrap(sentence(spec.summary), availableWidth(display)),
    ...(spec.about === undefined ? [] : ['', ...wrap(spec.about, availableWidth(display))]),
    '',
    `${heading('Usage')}  ${usageOf(spec)}`,
    ...(spec.aliases === undefined ? [] : [`${heading('Alias')}  ${spec.aliases.join(', ')}`]),
    ...section(heading('Arguments'), rows.arguments, { display, width }),
    ...section(heading('Options'), rows.options, { display, width }),
    ...section(heading('Common options'), COMMON_ROWS, { display, width }),
    '',
    heading('Examples'),
    ...spec.examples.flatMap(({ line, about }) => [
      ...wrap(about, availableWidth(display) - 4).map((part) => `  ${styled(display, 'dim', `# ${part}`)}`),
      `  ${styled(display, 'cyan', line)}`,
    ]),
  ];
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1) + (text.endsWith('.') ? '' : '.');
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
export function optionHead({ name, short, value, alone }: OptionSpec): string {
  const shown = value === undefined ? '' : alone === undefined ? ` ${value}` : `[=${value}]`;
  return `${short === undefined ? '' : `-${short}, `}--${name}${shown}`;
}

/** The description of an argument or option, with its choices. */
export function aboutOf({ about, choices }: Pick<ArgumentSpec & OptionSpec, 'about' | 'choices'>): string {
  return choices === undefined ? about : `${about}: ${choices.join(', ')}`;
}

type TwoColumns = readonly (readonly [string, string])[];

const COMMON_ROWS: TwoColumns = COMMON_OPTIONS.map((option) => [optionHead(option), option.about]);

function headWidth(rows: TwoColumns): number {
  return Math.max(...rows.map(([head]) => widthOf(head)));
}

interface SectionStyle {
  readonly display: Display;
  /** The width of the first column. */
  readonly width: number;
  readonly style?: (head: string) => string;
}

/** A heading and its rows in two columns; on a narrow terminal the second is below the first. */
function section(title: string, rows: TwoColumns, { display, width, style = (head) => head }: SectionStyle): string[] {
  if (rows.length === 0) return [];
  const room = availableWidth(display) - width - 4;
  const lines = rows.flatMap(([head, about]) => {
    if (room < ROOM_MIN) return [`  ${style(head)}`, ...wrap(about, availableWidth(display) - 6).map((line) => `      ${line}`)];
    const pad = ' '.repeat(width - widthOf(head));
    return wrap(about, room).map((line, index) => (index === 0 ? `  ${style(head)}${pad}  ${line}` : `${' '.repeat(width + 4)}${line}`));
  });
  return ['', title, ...lines];
}

/** The width at which text is wrapped: lines over 100 columns are hard to read. */
function availableWidth(display: Display): number {
  return Math.min(display.columns, 100);
}

/** Breaks a text at spaces into lines of at most a width. */
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
