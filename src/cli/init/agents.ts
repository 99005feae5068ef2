// `pawl init --claude --codex --gemini --opencode`: sets up these programs to work on the runs of a project.

import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { AGENT_PROGRAMS, AGENT_SETUPS } from '../agent-setup/programs.ts';
import type { MissingPart } from '../agent-setup/setup-file.ts';
import { type ParsedArgs, usageError } from '../command.ts';
import { confirm } from '../decision/prompt.ts';
import { findProject } from '../project.ts';
import type { Shell } from '../shell.ts';
import { fileLines, filesJson, writeAll } from './files.ts';

/** Sets up the programs that the options name. */
export async function initAgents(shell: Shell, args: ParsedArgs): Promise<number> {
  const programs = AGENT_PROGRAMS.filter((program) => args.has(program));
  if (args.maybe('NAME') !== undefined || args.has('js') || args.has('yaml'))
    throw usageError(`--${programs[0]} writes no workflow, so it cannot be combined with NAME, --js or --yaml`);
  const project = findProject(shell, args);
  const all = programs.flatMap((program) => AGENT_SETUPS[program].files(shell, project));
  // Several programs read the same skill.
  const setup = [...new Map(all.map((file) => [file.file, file])).values()];
  const { written, left } = writeAll(new Map(setup.map(({ file, text }) => [file, text])), args);
  const incomplete = setup.flatMap(({ file, missingIn }) => {
    const part = left.includes(file) ? missingIn(textOf(file)) : undefined;
    return part === undefined ? [] : [{ file, ...part }];
  });
  const extended = args.has('dry-run') ? [] : await extend(shell, args, incomplete);
  const missing = incomplete.filter(({ file }) => !extended.includes(file)).map(({ file, add }) => ({ file, add }));
  const files = { written, left: left.filter((file) => !extended.includes(file)) };
  const why = args.has('yes') ? ' (Pawl adds to plain JSON only)' : '';
  return shell.result({ project: project.root, ...filesJson(args, files), extended, missing }, () => [
    ...fileLines(shell, args, files),
    ...extended.map((file) => `${shell.style('green', 'extended  ')}  ${relative(shell.cwd, file)}`),
    ...missing.flatMap(({ file, add }) => [
      '',
      `${relative(shell.cwd, file)} already exists and was not changed${why}; add this to it:`,
      add,
    ]),
    ...(missing.length > 0 && why === '' && incomplete.some(({ merged }) => merged !== undefined)
      ? ['', 'With --yes, Pawl adds it where it can.']
      : []),
    '',
    ...programs.map((program) => `Next:  ${AGENT_SETUPS[program].next}`),
  ]);
}

type IncompleteSetup = MissingPart & { readonly file: string };

/** Adds the missing parts to existing files, if the person agrees. Returns the changed files. */
async function extend(shell: Shell, args: ParsedArgs, incomplete: readonly IncompleteSetup[]): Promise<readonly string[]> {
  const possible = incomplete.flatMap(({ file, merged }) => (merged === undefined ? [] : [{ file, merged }]));
  if (possible.length === 0 || !(args.has('yes') || (await agrees(shell, possible)))) return [];
  for (const { file, merged } of possible) writeFileSync(file, merged);
  return possible.map(({ file }) => file);
}

async function agrees(shell: Shell, possible: readonly { readonly file: string }[]): Promise<boolean> {
  if (!shell.isInteractive) return false;
  const names = possible.map(({ file }) => relative(shell.cwd, file)).join(', ');
  return confirm(shell, `Add what is missing to ${names}? Nothing in it is changed or removed.`);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
