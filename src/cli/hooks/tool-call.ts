// Owns what a tool call of a coding agent is about to do, whichever program it is of: the shell lines that it runs and
// the files that it changes. Claude Code, Codex, Gemini CLI and OpenCode name their tools and fields differently.

import type { JsonObject } from '../../base/json.ts';
import { shellWord } from '../../base/shell-word.ts';
import { callsIn, programName, type ShellCall } from './shell-commands.ts';

/** What a tool call is about to do. */
export interface ToolCall {
  readonly calls: readonly ShellCall[];
  /** The files that it changes, as the agent wrote them. */
  readonly files: readonly string[];
}

const EDITORS = /^(?:Edit|MultiEdit|Write|NotebookEdit|apply_patch|write_file|replace|edit|multiedit|write|patch)$/;
const SHELLS = /^(?:Bash|shell|exec_command|unified_exec|local_shell|run_shell_command|bash)$/;
const FILE_FIELDS = ['file_path', 'notebook_path', 'filePath', 'path'] as const;
const TEXT_FIELDS = ['command', 'cmd', 'input', 'patch', 'patchText'] as const;
/** The header of a file in a patch of Codex. */
const PATCHED = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;
/** Programs that change the files they are given. */
const CHANGERS: ReadonlySet<string> = new Set(['rm', 'mv', 'cp', 'tee', 'touch', 'truncate', 'chmod', 'ln', 'rmdir', 'unlink', 'install']);
const IN_PLACE: ReadonlySet<string> = new Set(['sed', 'perl']);

/** Reads a tool call. A tool that is not known does nothing that matters here. */
export function toolCallOf(tool: string, input: JsonObject): ToolCall {
  const texts = TEXT_FIELDS.flatMap((field) => textOf(input[field]));
  const patched = texts.flatMap((text) => [...text.matchAll(PATCHED)].map(([, file = '']) => file.trim()));
  if (EDITORS.test(tool)) {
    const named = FILE_FIELDS.flatMap((field) => textOf(input[field]));
    return { calls: [], files: [...named, ...patched] };
  }
  if (!SHELLS.test(tool)) return { calls: [], files: [] };
  const calls = texts.flatMap((text) => callsIn(text));
  return { calls, files: [...patched, ...calls.flatMap(filesOf)] };
}

function textOf(value: JsonObject[string] | undefined): string[] {
  if (typeof value === 'string') return [value];
  // A list of words, as a program receives them.
  return Array.isArray(value) && value.every((word) => typeof word === 'string') ? [value.map(shellWord).join(' ')] : [];
}

function filesOf({ words, writes }: ShellCall): readonly string[] {
  const at = words.findIndex((word) => !/^\w+=/.test(word) && word !== 'sudo');
  const program = programName(words[at] ?? '');
  const args = words.slice(at + 1);
  const isChanger = CHANGERS.has(program) || (IN_PLACE.has(program) && args.some((word) => /^-\w*i/.test(word)));
  const changed = isChanger ? args.filter((word) => !word.startsWith('-')) : [];
  // A copy only changes its target.
  return [...writes, ...(program === 'cp' || program === 'ln' || program === 'install' ? changed.slice(-1) : changed)];
}
