// Owns the inventory of what Pawl has written on this machine, for `pawl uninstall`: in the project, in the settings of
// coding agents, in the state folder of this user, and in the completion folders of shells. What a person wrote or
// changed is listed as kept.

import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../base/json.ts';
import { SnapshotLog, snapshotsOf } from '../steps/workspace/snapshot-log.ts';
import { initialFiles, initialWorkflow } from './commands/init.ts';
import { accountHome, type Project, stateHome } from './project.ts';
import type { Place } from './session.ts';
import { userSettingsFolder } from './settings/settings.ts';
import type { Shell } from './shell.ts';
import { installedIn, removeSkillFile } from './skills/installed.ts';
import { SKILL_FOLDERS } from './skills/targets.ts';

/** Something that Pawl wrote and can remove. */
interface WrittenItem {
  readonly path: string;
  readonly what: string;
  /** Only this part of the file goes; what else is in it stays. */
  readonly isPart?: true;
  remove(): void | Promise<void>;
}

/** Something that stays, and why. */
interface KeptItem {
  readonly path: string;
  readonly why: string;
}

/** What there is. */
export interface Inventory {
  readonly items: readonly WrittenItem[];
  readonly kept: readonly KeptItem[];
}

const HOOK = /\bpawl\S* hook [a-z-]+(?: --agent [a-z]+)?$/;
const COMPLETES = '__complete';

/** Lists what Pawl has written in a project and, if asked, for this user in all projects. */
export function inventoryOf(shell: Shell, place: Place, scope: { readonly user: boolean }): Inventory {
  const { project } = place;
  const parts = [agentInventory(project), homeInventory(project), storeInventory(place), completionInventory(shell)];
  const user = userInventory(shell, scope.user);
  return { items: [...parts, user].flatMap(({ items }) => items), kept: [...parts, user].flatMap(({ kept }) => kept) };
}

/** What `pawl init --claude`, `--codex`, `--gemini` and `--opencode` wrote. */
function agentInventory({ root }: Project): Inventory {
  const at = (...names: string[]): string => join(root, ...names);
  const server = 'the MCP server "pawl"';
  const hooks = 'the hooks "pawl hook"';
  const edits = [
    editOf(at('.mcp.json'), server, withoutServer),
    editOf(at('.claude', 'settings.json'), hooks, withoutHook),
    editOf(at('.claude', 'settings.local.json'), hooks, withoutHook),
    editOf(at('.codex', 'hooks.json'), hooks, withoutHook),
    editOf(at('.gemini', 'settings.json'), 'the MCP server and the hooks of Pawl', (value) => either(value, withoutServer, withoutHook)),
    editOf(at('opencode.json'), server, withoutOpencodeServer),
    tomlEdit(at('.codex', 'config.toml'), server),
  ];
  const files = [
    ...fileItem(at('.claude', 'skills', 'pawl', 'SKILL.md'), 'the skill for Claude Code'),
    ...fileItem(at('.agents', 'skills', 'pawl', 'SKILL.md'), 'the skill for other agents'),
    ...fileItem(at('.gemini', 'commands', 'pawl.toml'), 'the command /pawl of Gemini CLI'),
    ...fileItem(at('.opencode', 'commands', 'pawl.md'), 'the command /pawl of OpenCode'),
    ...fileItem(at('.opencode', 'plugins', 'pawl.js'), 'the plugin for OpenCode'),
  ];
  const skills = skillInventory(root);
  return {
    items: [...files, ...skills.items, ...edits.flatMap(({ items }) => items)],
    kept: [...skills.kept, ...edits.flatMap(({ kept }) => kept)],
  };
}

/** What `pawl skill install` and `pawl skill export` wrote. */
function skillInventory(root: string): Inventory {
  const found = SKILL_FOLDERS.flatMap((folder) => installedIn(join(root, folder)));
  return {
    items: found.flatMap(({ file, name, state }) =>
      state === 'ours' ? [{ path: file, what: `the skill "${name}"`, remove: () => removeSkillFile(file) }] : [],
    ),
    kept: found.flatMap(({ file, state }) => (state === 'changed' ? [{ path: file, why: 'yours: it was changed by a person' }] : [])),
  };
}

type Removal = (value: JsonObject) => JsonObject | undefined;

/** Removes two parts of a value, either of which may be missing. */
function either(value: JsonObject, first: Removal, second: Removal): JsonObject | undefined {
  const rest = first(value);
  return second(rest ?? value) ?? rest;
}

function withoutOpencodeServer(value: JsonObject): JsonObject | undefined {
  const { mcp, $schema, ...rest } = value;
  if (!isJsonObject(mcp ?? null) || !('pawl' in (mcp as JsonObject))) return undefined;
  const { pawl: _, ...servers } = mcp as JsonObject;
  const left = Object.keys(servers).length === 0 ? rest : { ...rest, mcp: servers };
  return Object.keys(left).length === 0 || $schema === undefined ? left : { $schema, ...left };
}

/** The table of our server in a TOML file: from its head to the next table. */
function tomlEdit(file: string, what: string): Inventory {
  const text = textOf(file);
  const table = /(?:^|\n)\[mcp_servers\.pawl\]\n(?:(?!\[)[^\n]*(?:\n|$))*/.exec(text ?? '');
  if (text === undefined || table === null) return { items: [], kept: [] };
  const rest = `${text.slice(0, table.index)}\n${text.slice(table.index + table[0].length)}`.trim();
  const remove = (): void => (rest === '' ? removePath(file) : writeFileSync(file, `${rest}\n`));
  return { items: [{ path: file, what, ...(rest === '' ? {} : { isPart: true }), remove }], kept: [] };
}

/** A part of a JSON file that others may share. */
function editOf(file: string, what: string, without: (value: JsonObject) => JsonObject | undefined): Inventory {
  const text = textOf(file);
  if (text === undefined || !text.includes('pawl')) return { items: [], kept: [] };
  const value = parseJson(text);
  if (value === undefined) return { items: [], kept: [{ path: file, why: `it is not plain JSON; remove ${what} by hand` }] };
  const rest = isJsonObject(value) ? without(value) : undefined;
  if (rest === undefined) return { items: [], kept: [] };
  const remove = (): void => {
    if (Object.keys(rest).length > 0) return writeFileSync(file, `${JSON.stringify(rest, null, 2)}\n`);
    removePath(file);
  };
  const isPart = Object.keys(rest).length > 0;
  return { items: [{ path: file, what, ...(isPart ? { isPart } : {}), remove }], kept: [] };
}

function withoutServer(value: JsonObject): JsonObject | undefined {
  const { mcpServers, ...rest } = value;
  if (!isJsonObject(mcpServers ?? null) || !('pawl' in (mcpServers as JsonObject))) return undefined;
  const { pawl: _, ...servers } = mcpServers as JsonObject;
  return Object.keys(servers).length === 0 ? rest : { ...rest, mcpServers: servers };
}

function withoutHook(value: JsonObject): JsonObject | undefined {
  const { hooks, ...rest } = value;
  if (!isJsonObject(hooks ?? null)) return undefined;
  let isFound = false;
  const isOurs = (hook: Json): boolean => isJsonObject(hook) && typeof hook.command === 'string' && HOOK.test(hook.command.trim());
  const left = Object.entries(hooks as JsonObject).flatMap(([event, groups]): [string, Json][] => {
    if (!Array.isArray(groups)) return [[event, groups]];
    const others = groups.flatMap((group): Json[] => {
      if (!isJsonObject(group) || !Array.isArray(group.hooks) || !group.hooks.some(isOurs)) return [group];
      isFound = true;
      const more = group.hooks.filter((hook) => !isOurs(hook));
      return more.length === 0 ? [] : [{ ...group, hooks: more }];
    });
    return others.length === 0 && groups.length > 0 ? [] : [[event, others]];
  });
  if (!isFound) return undefined;
  return left.length === 0 ? rest : { ...rest, hooks: Object.fromEntries(left) };
}

/** The `.pawl` folder: what `pawl init` wrote and nobody changed. */
function homeInventory(project: Project): Inventory {
  const { home } = project;
  if (home === undefined) return { items: [], kept: [] };
  const items: WrittenItem[] = [];
  const kept: KeptItem[] = [];
  for (const file of filesIn(home)) {
    const text = textOf(file);
    const isWorkflow = dirname(file) === join(home, 'workflows');
    const isInitial = isWorkflow
      ? initialWorkflow(file) === text
      : initialFiles(home, project).some(([path, first]) => path === file && first === text);
    if (isInitial) items.push(...fileItem(file, 'written by "pawl init" and unchanged'));
    else kept.push({ path: file, why: 'yours: it was written or changed by a person' });
  }
  return { items, kept };
}

function storeInventory({ file, because, project }: Place): Inventory {
  const folder = dirname(file);
  const worktrees = join(folder, 'worktrees');
  const items: WrittenItem[] = [];
  for (const name of namesIn(worktrees)) {
    const path = join(worktrees, name);
    items.push({ path, what: 'the worktree of a run', remove: () => removeWorktree(project.root, path) });
  }
  // The refs are in the repository of the user; the list of them is beside the database, so they go first.
  const snapshots = new SnapshotLog(snapshotsOf(file));
  const runs = snapshots.runs();
  if (runs.length > 0)
    items.push({ path: snapshots.home, what: 'the snapshots of runs, with their refs in git', remove: () => snapshots.remove(runs) });
  // The default folder is Pawl's alone; a database elsewhere may have other files beside it.
  if (because === 'default') {
    if (existsSync(folder))
      items.push({ path: folder, what: 'the runs of this project, with their history', remove: () => removePath(folder) });
  } else
    for (const name of namesIn(folder).filter((one) => isOfDatabase(one, basename(file))))
      items.push({ path: join(folder, name), what: 'the database of this project', remove: () => removePath(join(folder, name)) });
  return { items, kept: [] };
}

function isOfDatabase(name: string, database: string): boolean {
  return name === database || name.startsWith(`${database}-`) || name.startsWith(`${database}.`);
}

function removeWorktree(root: string, path: string): void {
  try {
    execFileSync('git', ['worktree', 'remove', '--force', '--force', path], { cwd: root, stdio: 'ignore' });
  } catch {
    // Git does not know it any more.
    removePath(path);
  }
}

function completionInventory(shell: Shell): Inventory {
  const home = shell.env.HOME ?? accountHome();
  if (home === undefined) return { items: [], kept: [] };
  const files = [
    join(home, '.local', 'share', 'bash-completion', 'completions', 'pawl'),
    join(home, '.zfunc', '_pawl'),
    join(home, '.config', 'fish', 'completions', 'pawl.fish'),
  ];
  const ours = files.filter((file) => textOf(file)?.includes(COMPLETES) === true);
  return { items: ours.flatMap((file) => fileItem(file, 'the completion script of a shell')), kept: [] };
}

function userInventory(shell: Shell, isAsked: boolean): Inventory {
  const folders: [string | undefined, string][] = [
    [stateHome(shell), 'the runs, trust, keys and tokens of this user, in all projects'],
    [userSettingsFolder(shell), 'the settings of this user'],
  ];
  const found = folders.flatMap(([path, what]) => (path !== undefined && existsSync(path) ? [{ path, what }] : []));
  if (!isAsked) return { items: [], kept: found.map(({ path, what }) => ({ path, why: `${what}; --user removes it` })) };
  return { items: found.map(({ path, what }) => ({ path, what, remove: () => removePath(path) })), kept: [] };
}

function fileItem(path: string, what: string): WrittenItem[] {
  return existsSync(path) ? [{ path, what, remove: () => removePath(path) }] : [];
}

/** Removes a file or folder, and the folders above it that are empty then: at most those that Pawl may have made. */
function removePath(path: string): void {
  rmSync(path, { recursive: true, force: true });
  for (let folder = dirname(path); MADE.has(basename(folder)); folder = dirname(folder)) {
    try {
      rmdirSync(folder);
    } catch {
      return;
    }
  }
}

const MADE: ReadonlySet<string> = new Set([
  ...['workflows', '.pawl', '.squadron', 'pawl', 'skills', 'worktrees'],
  ...['.claude', '.agents', '.codex', '.gemini', 'commands', '.opencode', 'plugins'],
]);

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

function textOf(file: string): string | undefined {
  try {
    return lstatSync(file).isFile() ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
