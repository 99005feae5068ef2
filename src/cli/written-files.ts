// Owns the list of everything that Pawl has written on this machine, for `pawl uninstall`: in the project, in the settings of
// coding agents, in the state folder of this user, and in the completion folders of shells. Files that a person wrote or
// changed are kept.

import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../base/json.ts';
import { SnapshotLog, snapshotsOf } from '../steps/workspace/snapshot-log.ts';
import { initialFiles, initialWorkflow } from './commands/init.ts';
import { accountHome, namesIn, type Project, stateHome } from './project.ts';
import type { Setup } from './session.ts';
import { userSettingsFolder } from './settings/settings.ts';
import type { Shell } from './shell.ts';
import { installedIn, removeSkillFile } from './skills/installed.ts';
import { SKILL_FOLDERS } from './skills/targets.ts';

interface WrittenItem {
  readonly path: string;
  readonly what: string;
  /** Only this part of the file is removed. */
  readonly isPart?: true;
  remove(): void | Promise<void>;
}

interface KeptItem {
  readonly path: string;
  readonly why: string;
}

/** The items to remove, and those to keep. */
export interface Inventory {
  readonly items: readonly WrittenItem[];
  readonly kept: readonly KeptItem[];
}

const EMPTY: Inventory = { items: [], kept: [] };

const HOOK = /\bpawl\S* hook [a-z-]+(?: --agent [a-z]+)?$/;

/** Lists what Pawl has written in a project and, if asked, for this user in all projects. */
export function inventoryOf(shell: Shell, setup: Setup, scope: { readonly user: boolean }): Inventory {
  const { project } = setup;
  return merged([
    ...[agentInventory(project), homeInventory(project), storeInventory(setup)],
    ...[completionInventory(shell), userInventory(shell, scope.user)],
  ]);
}

function merged(parts: readonly Inventory[]): Inventory {
  return { items: parts.flatMap(({ items }) => items), kept: parts.flatMap(({ kept }) => kept) };
}

function agentInventory({ root }: Project): Inventory {
  const at = (...names: string[]): string => join(root, ...names);
  const server = 'the MCP server "pawl"';
  const hooks = 'the hooks "pawl hook"';
  const files = [
    ...fileItem(at('.claude', 'skills', 'pawl', 'SKILL.md'), 'the skill for Claude Code'),
    ...fileItem(at('.agents', 'skills', 'pawl', 'SKILL.md'), 'the skill for other agents'),
    ...fileItem(at('.gemini', 'commands', 'pawl.toml'), 'the command /pawl of Gemini CLI'),
    ...fileItem(at('.opencode', 'commands', 'pawl.md'), 'the command /pawl of OpenCode'),
    ...fileItem(at('.opencode', 'plugins', 'pawl.js'), 'the plugin for OpenCode'),
  ];
  return merged([
    { items: files, kept: [] },
    skillInventory(root),
    jsonEdit(at('.mcp.json'), server, (value) => withoutServer(value)),
    jsonEdit(at('.claude', 'settings.json'), hooks, withoutHook),
    jsonEdit(at('.claude', 'settings.local.json'), hooks, withoutHook),
    jsonEdit(at('.codex', 'hooks.json'), hooks, withoutHook),
    jsonEdit(at('.gemini', 'settings.json'), 'the MCP server and the hooks of Pawl', withoutServerAndHook),
    jsonEdit(at('opencode.json'), server, withoutOpencodeServer),
    tomlEdit(at('.codex', 'config.toml'), server),
  ]);
}

function skillInventory(root: string): Inventory {
  const found = SKILL_FOLDERS.flatMap((folder) => installedIn(join(root, folder)));
  return {
    items: found.flatMap(({ file, name, state }) =>
      state === 'ours' ? [{ path: file, what: `the skill "${name}"`, remove: () => removeSkillFile(file) }] : [],
    ),
    kept: found.flatMap(({ file, state }) => (state === 'changed' ? [{ path: file, why: 'yours: it was changed by a person' }] : [])),
  };
}

/** The table of our server in a TOML file: from its heading to the next table. */
function tomlEdit(file: string, what: string): Inventory {
  const text = textOf(file);
  const table = /(?:^|\n)\[mcp_servers\.pawl\]\n(?:(?!\[)[^\n]*(?:\n|$))*/.exec(text ?? '');
  if (text === undefined || table === null) return EMPTY;
  return edit(file, what, `${text.slice(0, table.index)}\n${text.slice(table.index + table[0].length)}`.trim());
}

/** Our part of a JSON file; `without` returns the rest, or undefined if our part is not in it. */
function jsonEdit(file: string, what: string, without: (value: JsonObject) => JsonObject | undefined): Inventory {
  const text = textOf(file);
  if (text === undefined || !text.includes('pawl')) return EMPTY;
  const value = parseJson(text);
  if (value === undefined) return { items: [], kept: [{ path: file, why: `it is not plain JSON; remove ${what} yourself` }] };
  const rest = isJsonObject(value) ? without(value) : undefined;
  if (rest === undefined) return EMPTY;
  return edit(file, what, Object.keys(rest).length === 0 ? '' : JSON.stringify(rest, null, 2));
}

/** Replaces the text of a file by the rest of it; without a rest, the file is removed. */
function edit(path: string, what: string, rest: string): Inventory {
  if (rest === '') return { items: fileItem(path, what), kept: [] };
  return { items: [{ path, what, isPart: true, remove: () => writeFileSync(path, `${rest}\n`) }], kept: [] };
}

/** A value without the server "pawl" in one of its fields; undefined if there is none. */
function withoutServer(value: JsonObject, field = 'mcpServers'): JsonObject | undefined {
  const { [field]: servers = null, ...rest } = value;
  if (!isJsonObject(servers) || !('pawl' in servers)) return undefined;
  const { pawl: _, ...others } = servers;
  return Object.keys(others).length === 0 ? rest : { ...rest, [field]: others };
}

function withoutOpencodeServer({ $schema, ...value }: JsonObject): JsonObject | undefined {
  const rest = withoutServer(value, 'mcp');
  return rest === undefined || Object.keys(rest).length === 0 || $schema === undefined ? rest : { $schema, ...rest };
}

function withoutServerAndHook(value: JsonObject): JsonObject | undefined {
  const rest = withoutServer(value);
  return withoutHook(rest ?? value) ?? rest;
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

/** Files in the `.pawl` folder; those of `pawl init` that nobody changed are removed. */
function homeInventory(project: Project): Inventory {
  const { home } = project;
  if (home === undefined) return EMPTY;
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

function storeInventory({ file, because, project }: Setup): Inventory {
  const folder = dirname(file);
  const worktrees = join(folder, 'worktrees');
  const items: WrittenItem[] = [];
  for (const name of namesIn(worktrees)) {
    const path = join(worktrees, name);
    items.push({ path, what: 'the worktree of a run', remove: () => removeWorktree(project.root, path) });
  }
  // The list of refs is next to the database, so the refs in the user's repository must be removed first.
  const snapshots = new SnapshotLog(snapshotsOf(file));
  const runs = snapshots.runs();
  if (runs.length > 0)
    items.push({ path: snapshots.home, what: 'the snapshots of runs, with their refs in git', remove: () => snapshots.remove(runs) });
  // Only the default folder belongs to Pawl; a database elsewhere may have other files next to it.
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
    // Git no longer knows the worktree.
    removePath(path);
  }
}

function completionInventory(shell: Shell): Inventory {
  const home = shell.env.HOME ?? accountHome();
  if (home === undefined) return EMPTY;
  const files = [
    join(home, '.local', 'share', 'bash-completion', 'completions', 'pawl'),
    join(home, '.zfunc', '_pawl'),
    join(home, '.config', 'fish', 'completions', 'pawl.fish'),
  ];
  const scripts = files.filter((file) => textOf(file)?.includes('__complete') === true);
  return { items: scripts.flatMap((file) => fileItem(file, 'the completion script of a shell')), kept: [] };
}

function userInventory(shell: Shell, isWanted: boolean): Inventory {
  const folders: [string | undefined, string][] = [
    [stateHome(shell), 'the runs, trust, keys and tokens of this user, in all projects'],
    [userSettingsFolder(shell), 'the settings of this user'],
  ];
  const found = folders.flatMap(([path, what]) => (path === undefined ? [] : fileItem(path, what)));
  if (!isWanted) return { items: [], kept: found.map(({ path, what }) => ({ path, why: `${what}; --user removes it` })) };
  return { items: found, kept: [] };
}

function fileItem(path: string, what: string): WrittenItem[] {
  return existsSync(path) ? [{ path, what, remove: () => removePath(path) }] : [];
}

/** Removes a file or folder, and the folders above it that are then empty, if Pawl may have created them. */
function removePath(path: string): void {
  rmSync(path, { recursive: true, force: true });
  for (let folder = dirname(path); CREATED_FOLDERS.has(basename(folder)); folder = dirname(folder)) {
    try {
      rmdirSync(folder);
    } catch {
      return;
    }
  }
}

const CREATED_FOLDERS: ReadonlySet<string> = new Set([
  ...['workflows', '.pawl', '.squadron', 'pawl', 'skills', 'worktrees'],
  ...['.claude', '.agents', '.codex', '.gemini', 'commands', '.opencode', 'plugins'],
]);

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function textOf(file: string): string | undefined {
  try {
    return lstatSync(file).isFile() ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
