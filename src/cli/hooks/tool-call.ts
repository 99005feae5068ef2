// Parses a tool call of a coding agent: the shell commands that it runs and the files that it changes. Claude Code,
// Codex, Gemini CLI and OpenCode name their tools and fields differently.

import { isAbsolute, join } from 'node:path';
import type { JsonObject } from '../../base/json.ts';
import { shellWord } from '../../base/shell-word.ts';
import { callsIn, programName, type ShellCall } from './shell-commands.ts';

/** The effects of a tool call. */
interface ToolCall {
  readonly calls: readonly ShellCall[];
  /** The files that it changes, as the agent wrote them. */
  readonly files: readonly string[];
  /** The files and folders that it removes or moves away. */
  readonly removed: readonly string[];
}

const EDITORS = /^(?:Edit|MultiEdit|Write|NotebookEdit|apply_patch|write_file|replace|edit|multiedit|write|patch)$/;
const SHELLS = /^(?:Bash|shell|exec_command|unified_exec|local_shell|run_shell_command|bash)$/;
const FILE_FIELDS = ['file_path', 'notebook_path', 'filePath', 'path'] as const;
const TEXT_FIELDS = ['command', 'cmd', 'input', 'patch', 'patchText'] as const;
/** The header of a file in a patch of Codex. */
const PATCHED = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;
const CHANGING_PROGRAMS = new Set(['rm', 'mv', 'cp', 'tee', 'touch', 'truncate', 'chmod', 'ln', 'rmdir', 'unlink', 'install']);
const IN_PLACE_EDITORS = new Set(['sed', 'perl']);

/** Parses a tool call. An unknown tool has no effects. */
export function toolCallOf(tool: string, input: JsonObject): ToolCall {
  const texts = TEXT_FIELDS.flatMap((field) => textOf(input[field]));
  const patched = texts.flatMap((text) => [...text.matchAll(PATCHED)].map(([, file = '']) => file.trim()));
  if (EDITORS.test(tool)) {
    const named = FILE_FIELDS.flatMap((field) => textOf(input[field]));
    return { calls: [], files: [...named, ...patched], removed: [] };
  }
  if (!SHELLS.test(tool)) return { calls: [], files: [], removed: [] };
  const calls = texts.flatMap((text) => callsIn(text));
  return { calls, files: [...patched, ...calls.flatMap(filesOf)], removed: calls.flatMap(removedBy) };
}

function textOf(value: JsonObject[string] | undefined): string[] {
  if (typeof value === 'string') return [value];
  // A list of words, as a program receives them.
  return Array.isArray(value) && value.every((word) => typeof word === 'string') ? [value.map(shellWord).join(' ')] : [];
}

/** The program of a call and its arguments; `git rm` counts as `rm`. */
function programOf({ words }: ShellCall): { readonly program: string; readonly args: readonly string[] } {
  const [first = '', ...rest] = words;
  const isGit = programName(first) === 'git' && (rest[0] === 'rm' || rest[0] === 'mv');
  const [program = '', ...args] = isGit ? rest : [programName(first), ...rest];
  return { program, args };
}

function filesOf(call: ShellCall): readonly string[] {
  const { program, args } = programOf(call);
  const isChanger = CHANGING_PROGRAMS.has(program) || (IN_PLACE_EDITORS.has(program) && args.some((word) => /^-\w*i/.test(word)));
  const changed = isChanger ? args.filter((word) => !word.startsWith('-')) : [];
  // A copy only changes its target.
  const isCopy = program === 'cp' || program === 'ln' || program === 'install';
  return inFolder(call, [...call.writes, ...(isCopy ? changed.slice(-1) : changed)]);
}

function removedBy(call: ShellCall): readonly string[] {
  const { program, args } = programOf(call);
  const named = args.filter((word) => !word.startsWith('-'));
  return inFolder(call, program === 'rm' ? named : program === 'mv' ? named.slice(0, -1) : []);
}

/** Paths relative to where the line runs; none if the folder is unknown. */
function inFolder({ folder }: ShellCall, files: readonly string[]): readonly string[] {
  return files.flatMap((file) => (isAbsolute(file) || folder === '' ? [file] : folder === undefined ? [] : [join(folder, file)]));
}
