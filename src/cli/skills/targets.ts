// Owns where agent programs look for skills, in a project and for a user. Codex reads the folder that all programs but
// Claude Code share; Gemini CLI and OpenCode read theirs and the shared one, and OpenCode also that of Claude Code.

import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { EngineError } from '../../base/error.ts';
import type { ParsedArgs } from '../command.ts';
import { accountHome, type Project } from '../project.ts';
import type { Shell } from '../shell.ts';

interface Reader {
  /** The folder whose presence says that the program is used. */
  readonly home: string;
  /** Where it looks for skills. */
  readonly skills: string;
  /** Other folders that it reads as well: a skill that is there would be found twice. */
  readonly alsoReads: readonly string[];
}

const SHARED = '.agents/skills';
const READERS: Readonly<Record<string, Reader>> = {
  claude: { home: '.claude', skills: '.claude/skills', alsoReads: [] },
  agents: { home: '.agents', skills: SHARED, alsoReads: [] },
  codex: { home: '.codex', skills: SHARED, alsoReads: [] },
  gemini: { home: '.gemini', skills: '.gemini/skills', alsoReads: [SHARED] },
  opencode: { home: '.opencode', skills: '.opencode/skills', alsoReads: [SHARED, '.claude/skills'] },
};

/** The flags that choose a program. */
const READER_FLAGS = Object.keys(READERS);

/** The folders of a project in which programs look for skills. */
export const SKILL_FOLDERS: readonly string[] = [...new Set(Object.values(READERS).map(({ skills }) => skills))];

/** Folders for skills, and the folder above all of them that they must not lead out of. */
interface SkillTargets {
  /** Undefined where the person named the folder, or links of their own are theirs to make. */
  readonly root: string | undefined;
  readonly folders: readonly string[];
}

/** The folders that the options choose: `--to`, those of programs, or those of the programs that are used here. */
export function targetsOf(shell: Shell, project: Project, given: ParsedArgs): SkillTargets {
  const to = given.option('to');
  const flags = READER_FLAGS.filter((name) => given.has(name));
  if (to !== undefined) {
    const other = [...flags, ...(given.has('user') ? ['user'] : [])][0];
    if (other !== undefined) throw new EngineError('USAGE', `--to and --${other} both say where to write; give one`);
    return { root: undefined, folders: [resolve(shell.cwd, to)] };
  }
  const root = given.has('user') ? userHome(shell) : project.root;
  const at = (folder: string): string => placeOf(shell, { root, isUser: given.has('user') }, folder);
  const chosen = flags.length > 0 ? flags.map((name) => READERS[name] as Reader) : usedReaders(at);
  return { root: given.has('user') ? undefined : root, folders: [...new Set(chosen.map(({ skills }) => at(skills)))] };
}

/** Every folder in which an install can have written, for whoever removes. */
export function allTargets(shell: Shell, project: Project, given: ParsedArgs): readonly string[] {
  const isChosen = given.option('to') !== undefined || READER_FLAGS.some((name) => given.has(name));
  if (isChosen) return targetsOf(shell, project, given).folders;
  const root = given.has('user') ? userHome(shell) : project.root;
  return SKILL_FOLDERS.map((folder) => placeOf(shell, { root, isUser: given.has('user') }, folder));
}

/** Those whose folder exists, without those that find the skill in a folder that is chosen already; else the shared one. */
function usedReaders(at: (folder: string) => string): Reader[] {
  const used: Reader[] = [];
  for (const reader of Object.values(READERS)) {
    const isCovered = used.some(({ skills }) => reader.alsoReads.includes(skills));
    if (existsSync(at(reader.home)) && !isCovered) used.push(reader);
  }
  return used.length > 0 ? used : [READERS.agents as Reader];
}

/** OpenCode keeps what is the user's in the folder for settings. */
function placeOf(shell: Shell, { root, isUser }: { readonly root: string; readonly isUser: boolean }, folder: string): string {
  if (!isUser || !folder.startsWith('.opencode')) return join(root, folder);
  const { XDG_CONFIG_HOME } = shell.env;
  const settings = XDG_CONFIG_HOME !== undefined && isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : join(root, '.config');
  return join(settings, folder.replace('.opencode', 'opencode'));
}

function userHome({ env: { HOME } }: Pick<Shell, 'env'>): string {
  const home = HOME !== undefined && isAbsolute(HOME) ? HOME : accountHome();
  if (home !== undefined) return home;
  throw new EngineError('USAGE', 'HOME is not set, so --user has no folder to write to; set HOME, or use --to');
}
