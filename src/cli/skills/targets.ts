// Owns the folders in which agent programs look for skills, in a project and for a user. Codex reads the folder that all
// programs but Claude Code share; Gemini CLI and OpenCode read their own and the shared one, OpenCode also that of Claude Code.

import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { type ParsedArgs, usageError } from '../command.ts';
import { accountHome, type Project } from '../project.ts';
import type { Shell } from '../shell.ts';

interface AgentProgram {
  /** The folder that exists if the program is used. */
  readonly home: string;
  readonly skills: string;
  /** Other folders that it reads, in which the program would find the skill a second time. */
  readonly alsoReads: readonly string[];
}

const SHARED = '.agents/skills';
const PROGRAMS: Readonly<Record<string, AgentProgram>> = {
  claude: { home: '.claude', skills: '.claude/skills', alsoReads: [] },
  agents: { home: '.agents', skills: SHARED, alsoReads: [] },
  codex: { home: '.codex', skills: SHARED, alsoReads: [] },
  gemini: { home: '.gemini', skills: '.gemini/skills', alsoReads: [SHARED] },
  opencode: { home: '.opencode', skills: '.opencode/skills', alsoReads: [SHARED, '.claude/skills'] },
};

const PROGRAM_FLAGS = Object.keys(PROGRAMS);

/** The folders of a project in which programs look for skills. */
export const SKILL_FOLDERS: readonly string[] = [...new Set(Object.values(PROGRAMS).map(({ skills }) => skills))];

/** Folders for skills, and the folder that links in them must not lead out of. */
interface SkillTargets {
  /** Undefined for the user's own folders and for --to, where the user may have links. */
  readonly root: string | undefined;
  readonly folders: readonly string[];
}

/** The folders that the options choose: `--to`, those of the named programs, or those of the programs that are used here. */
export function targetsOf(shell: Shell, project: Project, args: ParsedArgs): SkillTargets {
  const to = args.option('to');
  const flags = PROGRAM_FLAGS.filter((name) => args.has(name));
  if (to !== undefined) {
    const other = [...flags, ...(args.has('user') ? ['user'] : [])][0];
    if (other !== undefined) throw usageError(`--to and --${other} cannot be combined; use one of them`);
    return { root: undefined, folders: [resolve(shell.cwd, to)] };
  }
  const root = args.has('user') ? userHome(shell) : project.root;
  const at = (folder: string): string => folderFor(shell, { root, isUser: args.has('user') }, folder);
  const chosen = flags.length > 0 ? flags.map((name) => PROGRAMS[name] as AgentProgram) : usedPrograms(at);
  return { root: args.has('user') ? undefined : root, folders: [...new Set(chosen.map(({ skills }) => at(skills)))] };
}

/** All folders to which `install` can have written. */
export function allTargets(shell: Shell, project: Project, args: ParsedArgs): readonly string[] {
  const isChosen = args.option('to') !== undefined || PROGRAM_FLAGS.some((name) => args.has(name));
  if (isChosen) return targetsOf(shell, project, args).folders;
  const root = args.has('user') ? userHome(shell) : project.root;
  return SKILL_FOLDERS.map((folder) => folderFor(shell, { root, isUser: args.has('user') }, folder));
}

/** The programs whose folder exists, without those that also read a folder chosen before; otherwise the shared folder. */
function usedPrograms(at: (folder: string) => string): AgentProgram[] {
  const used: AgentProgram[] = [];
  for (const program of Object.values(PROGRAMS)) {
    const isCovered = used.some(({ skills }) => program.alsoReads.includes(skills));
    if (existsSync(at(program.home)) && !isCovered) used.push(program);
  }
  return used.length > 0 ? used : [PROGRAMS.agents as AgentProgram];
}

/** OpenCode has its folder for the user among the settings. */
function folderFor(shell: Shell, { root, isUser }: { readonly root: string; readonly isUser: boolean }, folder: string): string {
  if (!isUser || !folder.startsWith('.opencode')) return join(root, folder);
  const { XDG_CONFIG_HOME } = shell.env;
  const settings = XDG_CONFIG_HOME !== undefined && isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : join(root, '.config');
  return join(settings, folder.replace('.opencode', 'opencode'));
}

function userHome({ env: { HOME } }: Pick<Shell, 'env'>): string {
  const home = HOME !== undefined && isAbsolute(HOME) ? HOME : accountHome();
  if (home !== undefined) return home;
  throw usageError('HOME is not set, so --user has no folder to write to; set HOME, or use --to');
}
