// Owns docs/reference/cli.md: every command, option and exit code, from the data that the program itself runs on.
// `npm run reference` writes the page, and a test compares it.

import { ERROR_CODES } from '../base/error.ts';
import { COMMON_OPTIONS, type CommandSpec, GROUPS } from './command.ts';
import { aboutOf, optionHead, usageOf } from './help.ts';

/** What each exit code means, for all commands. */
const EXITS: readonly (readonly [number, string])[] = [
  [0, 'done; of a command that ends with a run: the run is completed or overridden'],
  [1, 'the run failed, was rejected or was cancelled; a check found something'],
  [2, 'the command line or a definition is wrong, or what it names does not exist'],
  [3, 'the run waits for somebody or something else: a person, a time, capacity'],
  [4, 'not allowed: the definition is not trusted, there is no permission, no login'],
  [5, 'a budget or quota is used up'],
  [6, 'the store could not be read or written'],
  [7, 'another process owns the run'],
  [8, 'the run escalated'],
  [70, 'a bug in Pawl; the runs are as they were on disk before it'],
  [130, 'interrupted; the run can be resumed, and the command to do so is printed'],
];

/** The page. */
export function referencePage(commands: readonly CommandSpec[]): string {
  const groups = GROUPS.map((group) => ({ group, members: commands.filter((command) => command.group === group) }));
  return `${[
    '# The command line',
    'Made by `npm run reference` from the commands themselves; a test keeps it true. `pawl COMMAND --help` says the same.',
    table(
      ['command', 'does'],
      [...commands].map(({ name, summary }) => [`[\`pawl ${name}\`](#pawl-${name})`, escaped(summary)]),
    ),
    '## Every command takes',
    optionTable(COMMON_OPTIONS),
    COMMON,
    '## Exit codes',
    table(
      ['code', 'meaning', 'errors'],
      EXITS.map(([exit, meaning]) => [String(exit), meaning, codesOf(exit)]),
    ),
    '[errors.md](../errors.md) has what to do about each error.',
    JSON_RULES,
    ...groups
      .filter(({ members }) => members.length > 0)
      .flatMap(({ group, members }) => [`## ${group}`, ...members.flatMap(commandParts)]),
  ].join('\n\n')}\n`;
}

const COMMON = `A run id may be shortened to any beginning that fits one run only. \`--\` ends the options: what follows are words. The database of runs is, in this order: \`--db\`, \`PAWL_DB\`, the setting \`db\`, else a file in the user's state directory that belongs to the project; \`pawl doctor\` says which. The project is \`--project\`, \`PAWL_PROJECT\`, else the nearest folder with a \`.pawl\`, else the git checkout, else the current folder.

Colour is for terminals: \`NO_COLOR\`, \`--no-color\` and \`TERM=dumb\` turn it off, \`FORCE_COLOR=1\` turns it on in a pipe. Where the locale is not UTF-8, symbols are ASCII. In a pipe nothing is cut or redrawn.`;

const JSON_RULES = `## JSON

With \`--json\`, stdout is exactly one JSON object; warnings and the sentence of an error go to stderr. Times are ISO 8601 in UTC, durations are milliseconds in fields that end in \`Ms\`. Fields may be added; one that changes its meaning or goes away raises \`schemaVersion\`. Of every command:

\`\`\`json
{ "schemaVersion": 1, "…": "the result" }
{ "schemaVersion": 1, "error": { "code": "RUN_NOT_FOUND", "message": "…", "retry": "never", "details": {} } }
\`\`\`

\`retry\` is \`never\`, \`after-change\` or \`auto\`: whether the same command can succeed later. An error in a file also has \`file\`, \`line\` and \`column\`.

- \`runs\`: \`{ runs: [{ id, workflow, status, currentStep, startedAt, updatedAt, due, isDriven, origin, … }], more }\`; a run that cannot be read has \`damaged\`, and the others are listed all the same.
- \`show\`: \`{ run: { id, status, … }, steps: [{ path, kind, status, outcome, attempt, startedAt, durationMs, … }], waits: [{ id, kind, … }], … }\`. \`run\`, \`resume\`, \`decide\` and \`fork\` end with the same object.
- \`COMMAND --help\`: \`{ usage, name, summary, args, options, examples }\`.`;

function commandParts(spec: CommandSpec): string[] {
  const { name, aliases = [], summary, about, args = [], options = [], examples } = spec;
  const sentence = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
  return [
    `### pawl ${name}`,
    [sentence, ...(about === undefined ? [] : [about])].map(escaped).join(' '),
    ...(aliases.length === 0 ? [] : [`Alias: ${aliases.map((alias) => `\`pawl ${alias}\``).join(', ')}.`]),
    `\`\`\`\n${usageOf(spec)}\n\`\`\``,
    ...(args.length === 0
      ? []
      : [
          table(
            ['argument', 'is'],
            args.map((arg) => [`\`${arg.name}\`${arg.required === true ? '' : ' (optional)'}`, escaped(aboutOf(arg))]),
          ),
        ]),
    ...(options.length === 0 ? [] : [optionTable(options)]),
    `\`\`\`sh\n${examples.map(({ line, about: what }) => `# ${what}\n${line}`).join('\n')}\n\`\`\``,
  ];
}

function optionTable(options: NonNullable<CommandSpec['options']>): string {
  return table(
    ['option', 'does'],
    options.map((option) => [`\`${optionHead(option)}\``, escaped(aboutOf(option))]),
  );
}

function codesOf(exit: number): string {
  return Object.entries(ERROR_CODES)
    .filter(([, error]) => error.exit === exit)
    .map(([code]) => `[${code}](../errors.md#${code.toLowerCase()})`)
    .join(', ');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** Text of the commands as Markdown shows it: a bar would end a cell, angle brackets would be a tag. */
function escaped(text: string): string {
  return text.replace(/[|<>*]/g, '\\$&');
}
