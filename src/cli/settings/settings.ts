// Owns the settings of a project and its user, and the origin of each: local > project > user. Options and the environment
// override all of them and are read where they are used; `pawl config` shows them too.
//
// - A file in the repository can restrict what the user allows, but not extend it: its database must be inside the project,
//   and it can only lower limits, shorten the list of variables and remove people from groups. A local file that git
//   tracks is part of the repository.
// - Programs, validation stages, roles, a forge, secrets, hosts of the private network and people who may approve only
//   take effect while the file that sets them is trusted.
// - A local file belongs to the user while it is trusted. Agents and archives can create one too, so until then it extends
//   nothing, and no run is driven if it would.

import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { EngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { isInsideFolder } from '../../base/inside-folder.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { shellWord } from '../../base/shell-word.ts';
import { AMOUNTS, type Budget } from '../../definition/budget.ts';
import { covers, INHERITED_VARIABLES } from '../../process/environment.ts';
import { accountHome, type Project } from '../project.ts';
import type { Shell } from '../shell.ts';
import type { Setting } from './file.ts';
import { type ForgeSettings, forgeOf } from './forge.ts';
import type { WrittenSettings } from './known-settings.ts';

/** The settings in force. Paths are absolute, and the forge has what its kind needs. */
export type Settings = Omit<WrittenSettings, 'forge' | 'agent_roles' | 'review_policy'> & {
  readonly forge?: ForgeSettings;
  /** The user's own settings require signatures, so it applies to every project. */
  readonly signs?: 'everywhere';
  /** Files that must be trusted before runs are driven: they set programs, people or a forge, or extend limits. */
  readonly toTrust?: readonly FileToTrust[];
};

/** A protected database. */
export type DatabaseSetting = NonNullable<Settings['databases']>[string];

/** A file that must be trusted, with the digest of the text that was read. */
interface FileToTrust {
  readonly file: string;
  readonly digest: string;
}

/** Which file a setting comes from; the first wins. */
type Layer = 'local' | 'project' | 'user';

interface SettingsFile {
  readonly layer: Layer;
  readonly path: string;
}

/** Who controls a file. `repository`: it is part of the repository, so anyone may have written it. `untrusted`: a local file that is not trusted. */
type Ownership = 'own' | 'untrusted' | 'repository';

/** A setting with its origin. */
export interface OriginSetting extends Setting {
  readonly layer: Layer;
  readonly ownership: Ownership;
  /** True if only a trusted file may set it, because it is a path outside the project. */
  readonly isBlocked: boolean;
  readonly file: string;
  readonly isInForce: boolean;
}

/** The settings files in the folder of a project; the first wins. */
export const PROJECT_FILES: readonly string[] = ['config.local.yaml', 'config.yaml'];

/** Whether a file of a project is a settings file and not a workflow. */
export function isSettingsFile({ home }: Project, file: string): boolean {
  return home !== undefined && PROJECT_FILES.some((name) => file === join(home, name));
}

/** Whether a project has a settings file; parsing one needs code that not every command loads. */
export function hasSettings({ home }: Project): boolean {
  return home !== undefined && PROJECT_FILES.some((name) => existsSync(join(home, name)));
}

/** The effective settings of a project. */
export async function readSettings(shell: Shell, project: Project): Promise<Settings> {
  const all = await readOrigins(shell, project);
  const blocked = all.find(({ key, isBlocked }) => key === 'db' && isBlocked);
  if (blocked !== undefined) throw untrustedDatabase(blocked);
  return all.length === 0 ? {} : toSettings(all);
}

/** The settings files that must be trusted; does not fail if the settings are invalid without that. */
export async function filesToTrust(shell: Shell, project: Project): Promise<readonly string[]> {
  return filesToTrustIn(await readOrigins(shell, project)).map(({ file }) => file);
}

function untrustedDatabase({ file, value }: OriginSetting): EngineError {
  return new EngineError(
    'NOT_TRUSTED',
    `${file} sets the database ${value} outside the project, and the file is not trusted; review it, then run "pawl trust ${shellWord(file)}" to trust this version`,
    { details: { file } },
  );
}

/** The settings files for a project, whether they exist or not; the first wins. */
export function settingsFiles(shell: Shell, project: Project): SettingsFile[] {
  const folder = userSettingsFolder(shell);
  const user: SettingsFile[] = folder === undefined ? [] : [{ layer: 'user', path: join(folder, 'config.yaml') }];
  const { home } = project;
  if (home === undefined) return user;
  return [{ layer: 'local', path: join(home, 'config.local.yaml') }, { layer: 'project', path: join(home, 'config.yaml') }, ...user];
}

/** The folder of this user's settings; undefined if the user has no home folder. */
export function userSettingsFolder(shell: Shell): string | undefined {
  const { XDG_CONFIG_HOME, APPDATA, HOME } = shell.env;
  if (XDG_CONFIG_HOME !== undefined && isAbsolute(XDG_CONFIG_HOME)) return join(XDG_CONFIG_HOME, 'pawl');
  if (process.platform === 'win32' && APPDATA !== undefined) return join(APPDATA, 'pawl');
  const home = HOME !== undefined && HOME !== '' ? HOME : accountHome();
  return home !== undefined && isAbsolute(home) ? join(home, '.config', 'pawl') : undefined;
}

/** The settings of all files; overridden ones are not in force. */
export async function readOrigins(shell: Shell, project: Project): Promise<OriginSetting[]> {
  const files = settingsFiles(shell, project).filter(({ path }) => existsSync(path));
  if (files.length === 0) return [];
  const { readSettingsFile } = await import('./file.ts');
  const found: OriginSetting[] = [];
  const read = await Promise.all(files.map(async (file) => ({ ...file, settings: await readSettingsFile(file.path) })));
  const forgeKind = read.flatMap(({ settings }) => settings).findLast(({ key }) => key === 'forge.kind')?.value;
  for (const { layer, path, settings } of read) {
    const ownership = await ownershipOf(shell, { layer, path }, settings);
    for (const setting of settings) {
      const isBlocked = setting.key === 'mcp.elicit' && !isOfAccount(path);
      const origin = { ...setting, layer, ownership, file: path, isInForce: true, isBlocked };
      // At GitHub a repository is a name, not a folder.
      const label = setting.key === 'forge.repository' && forgeKind === 'github' ? undefined : PATHS[setting.key];
      found.push(label === undefined ? withDatabase(project, withSecretFile(shell, project, origin)) : withPath(project, origin, label));
    }
  }
  return markInForce(found);
}

/** Whether a settings file is in the home folder of the account, whatever HOME says. */
function isOfAccount(file: string): boolean {
  try {
    return file === join(userInfo().homedir, '.config', 'pawl', 'config.yaml');
  } catch {
    // A user id without an account has no home folder.
    return false;
  }
}

/** Settings that are paths, with the name for messages. */
const PATHS: Readonly<Record<string, string>> = {
  db: 'the database',
  'forge.repository': 'the repository of the forge',
  'forge.state': 'the state of the forge',
};

/** The setting with an absolute path; a file in the repository may only set one inside the project. */
function withPath(project: Project, setting: OriginSetting, label: string): OriginSetting {
  const base = setting.layer === 'user' ? dirname(setting.file) : project.root;
  const path = resolve(base, String(setting.value));
  const isProject = setting.key === 'forge.repository' && path === project.root;
  const isBelow = path !== project.root && isInsideFolder(project.root, path);
  const isOutside = setting.ownership !== 'own' && !isProject && !isBelow;
  if (isOutside && setting.ownership === 'repository')
    throw notAllowed(setting, `${label} ${path} is outside the project, and a file of the project may not set that`);
  return { ...setting, value: path, isBlocked: isOutside };
}

function withSecretFile(shell: Shell, project: Project, setting: OriginSetting): OriginSetting {
  const { key, value, layer, file } = setting;
  if (!key.startsWith('secrets.') || !isJsonObject(value) || typeof value.file !== 'string') return setting;
  const home = shell.env.HOME ?? accountHome() ?? '';
  const base = layer === 'user' ? dirname(file) : project.root;
  return { ...setting, value: { ...value, file: resolve(base, value.file.replace(/^~(?=\/)/, home)) } };
}

function withDatabase(project: Project, setting: OriginSetting): OriginSetting {
  const { key, value } = setting;
  if (!key.startsWith('databases.') || !isJsonObject(value)) return setting;
  const path = withPath(project, { ...setting, value: value.path as Json }, 'the database');
  if (value.migrations === undefined) return { ...path, value: { ...value, path: path.value } };
  const folder = withPath(project, { ...setting, value: value.migrations }, 'the folder of migrations');
  return { ...path, value: { ...value, path: path.value, migrations: folder.value }, isBlocked: path.isBlocked || folder.isBlocked };
}

async function ownershipOf(shell: Shell, { layer, path }: SettingsFile, [first]: readonly Setting[]): Promise<Ownership> {
  if (layer !== 'local' || first === undefined) return layer === 'project' ? 'repository' : 'own';
  if (isTracked(path)) return 'repository';
  const { isTrustedText } = await import('../trust/trust-list.ts');
  return isTrustedText(shell, path, first.digest) ? 'own' : 'untrusted';
}

function isTracked(file: string): boolean {
  try {
    const words = ['-c', 'core.fsmonitor=false', 'ls-files', '--error-unmatch', '--', basename(file)];
    process.getBuiltinModule('node:child_process').execFileSync('git', words, { cwd: dirname(file), stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function notAllowed({ file, position }: OriginSetting, message: string): EngineError {
  const hint = 'set it in your own config.yaml, or in a trusted config.local.yaml that is not in git';
  return new EngineError('CONFIG_INVALID', `${message}; ${hint}`, { position: { file, ...position } });
}

/** Marks the settings in force: the first of each key, unless it comes with the project and allows more than a later one. */
function markInForce(found: readonly OriginSetting[]): OriginSetting[] {
  const byKey = Map.groupBy(
    found.filter(({ isBlocked }) => !isBlocked),
    ({ key }) => canonicalKey(key),
  );
  return found.map((setting) => ({ ...setting, isInForce: effective(byKey.get(canonicalKey(setting.key)) ?? []) === setting }));
}

/** The key under its usual name: files may write `agent_roles` for `roles`. */
function canonicalKey(key: string): string {
  return key === 'agent_roles' ? 'roles' : key;
}

function effective(candidates: readonly OriginSetting[]): OriginSetting | undefined {
  const [first, ...weaker] = candidates;
  const next = weaker.length === 0 ? undefined : effective(weaker);
  if (first === undefined || next === undefined) return unlessWider(first);
  return isWider(first, next) && first.ownership !== 'own' ? next : first;
}

/** If only the project has a list of variables, it must not extend the default list. */
function unlessWider(setting: OriginSetting | undefined): OriginSetting | undefined {
  if (setting?.key !== 'environment' || setting.ownership === 'own') return setting;
  const more = namesOf(setting).filter((name) => !INHERITED_VARIABLES.some((pattern) => covers(pattern, name)));
  if (more.length === 0) return setting;
  if (setting.ownership === 'untrusted') return undefined;
  throw notAllowed(setting, `programs do not inherit the variable ${more.join(', ')} by default, and a file of the project may not add it`);
}

function isWider(setting: OriginSetting, weaker: OriginSetting): boolean {
  if (setting.key === 'writes.links') return namesOf(setting).some((host) => !namesOf(weaker).includes(host));
  if (/^(?:limits|writes)\./.test(setting.key)) return Number(setting.value) > Number(weaker.value);
  if (setting.key.startsWith('budgets.')) return isLarger(setting.value, weaker.value);
  if (setting.key === 'protected') return namesOf(weaker).some((pattern) => !namesOf(setting).includes(pattern));
  if (setting.key.startsWith('groups.')) return namesOf(setting).some((name) => !namesOf(weaker).includes(name));
  if (setting.key !== 'environment') return false;
  return namesOf(setting).some((name) => !namesOf(weaker).some((pattern) => covers(pattern, name)));
}

/** Whether a budget allows more than another: a larger amount, an amount without a limit, or unknown usage. */
function isLarger(budget: Json, weaker: Json): boolean {
  const [ours, theirs] = [budget as Budget, weaker as Budget];
  if (ours.unknown === 'count' && theirs.unknown !== 'count') return true;
  return AMOUNTS.some((amount) => (ours[amount] ?? Number.POSITIVE_INFINITY) > (theirs[amount] ?? Number.POSITIVE_INFINITY));
}

function namesOf({ value }: OriginSetting): string[] {
  return (value as Json[]).map(String);
}

function toSettings(all: readonly OriginSetting[]): Settings {
  const inForce = all.filter(({ isInForce, isUsed }) => isInForce && isUsed);
  const rows = inForce.map(({ path: [first = '', ...below], value }): Row => ({ path: [canonicalKey(first), ...below], value }));
  // Each value was checked as the type that it has here.
  const { forge, ...others } = nested(rows) as WrittenSettings;
  const toTrust = filesToTrustIn(all);
  return {
    ...others,
    ...omitUndefined({
      forge: forge && forgeOf(inForce, forge),
      signs: all.some(({ key, layer }) => key === 'decisions' && layer === 'user') ? ('everywhere' as const) : undefined,
      toTrust: toTrust.length === 0 ? undefined : toTrust,
    }),
  };
}

interface Row {
  readonly path: readonly string[];
  readonly value: Json;
}

/** The values by the names in their paths, as in a file. */
function nested(rows: readonly Row[]): JsonObject {
  const groups = Map.groupBy(rows, ({ path: [first = ''] }) => first);
  const entries = [...groups].map(([name, group]): [string, Json] => {
    const own = group.find(({ path }) => path.length === 1);
    return [name, own === undefined ? nested(group.map(({ path, value }) => ({ path: path.slice(1), value }))) : own.value];
  });
  return Object.fromEntries(entries);
}

/** Settings of programs, the forge, secrets, hosts of the private network, trusted proxies, and what others may start or see. */
const NEEDS_TRUST = /^(?:(?:forge|validation\.stages|commands|secrets|webhooks|writes|serve|hooks|notifications)\.|metrics$)/;

/** The files of the project that set programs, a forge or people, or extend what the user allows. */
function filesToTrustIn(all: readonly OriginSetting[]): FileToTrust[] {
  const needsTrust = (setting: OriginSetting): boolean => {
    if (setting.ownership === 'own') return false;
    // A local file overrides all others, so if its setting is not in force, it would have extended another.
    if (!setting.isInForce) return setting.ownership === 'untrusted';
    // If the user has a group of this name, the setting in force can only have removed people.
    return (
      setsPrograms(setting) ||
      (setting.key.startsWith('groups.') && !all.some(({ key, ownership }) => key === setting.key && ownership === 'own'))
    );
  };
  const found = all.filter(needsTrust).map(({ file, digest }) => [file, { file, digest }] as const);
  return [...new Map(found).values()];
}

function setsPrograms({ key, value }: OriginSetting): boolean {
  return NEEDS_TRUST.test(key) || (canonicalKey(key) === 'roles' && configuresAgents(value));
}

/** Whether a role has more than triggers: a driver, a program, permissions. */
function configuresAgents(roles: Json): boolean {
  return (
    isJsonObject(roles) &&
    Object.values(roles).some((role) => isJsonObject(role) && Object.keys(role).some((field) => field !== 'triggers'))
  );
}
