// Owns the settings of a project and its user, and where each came from: local > project > user. Options and the
// environment come before all of them and are read where they are used; `pawl config` shows them too.
//
// S1. What a repository brings can narrow what its user allows, never widen it: its database stays inside of the project,
//     it lowers limits, shortens the list of variables and takes people out of groups, and a local file that git tracks counts as brought.
// S2. What it names to be run or to be acted on, commands, validation stages, roles and a forge, and who may approve, holds
//     only while its file is trusted.
// S3. A local file is its user's own while its content is trusted. An agent or an archive can write one too: until then
//     it widens nothing, and nothing is driven while it would.

import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { EngineError } from '../../base/error.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import { AMOUNTS, type Budget } from '../../definition/budget.ts';
import type { Limits } from '../../engine/limits.ts';
import type { StageSetting } from '../../steps/services.ts';
import { accountHome, type Project } from '../project.ts';
import type { Shell } from '../shell.ts';
import type { Setting } from './file.ts';

/** What can be set. */
export interface Settings {
  /** The database of runs, as an absolute path. */
  readonly db?: string;
  readonly limits?: Limits;
  /** Validation stages by name. */
  readonly stages?: Readonly<Record<string, StageSetting>>;
  /** Programs by the name that steps call them. */
  readonly commands?: Readonly<Record<string, readonly string[]>>;
  /** Names of variables that programs inherit. */
  readonly inheritEnv?: readonly string[];
  /** What workflow files read as `config.project`. */
  readonly project?: { readonly default_branch?: string };
  /** People by the name of their group. */
  readonly groups?: Readonly<Record<string, readonly string[]>>;
  /** The forge; its paths are absolute. */
  readonly forge?: { readonly kind: 'local'; readonly repository?: string; readonly state?: string };
  /** What the agents of a run, and all agents of a day, may use. */
  readonly budgets?: { readonly run?: Budget; readonly day?: Budget };
  /** Whatever a person decides about a run takes the signature of an enrolled key. */
  readonly decisions?: 'signed';
  /** The user's own settings ask for that, so it holds in every project. */
  readonly signs?: 'everywhere';
  /** Patterns of files that no agent may change, beside those that are always protected. */
  readonly protected?: readonly string[];
  /** What is said of roles, by their names; `roles.ts` reads it. */
  readonly roles?: Json;
  /** Files of the project that name programs, people or a forge, or widen: nothing is driven unless they are trusted. */
  readonly powerful?: readonly PowerfulFile[];
}

/** A file that needs trust, with the digest of the text that the settings were read from. */
export interface PowerfulFile {
  readonly file: string;
  readonly digest: string;
}

/** Which file a setting came from, the strongest first. */
type Layer = 'local' | 'project' | 'user';

/** A file of settings, which need not exist. */
interface SettingsFile {
  readonly layer: Layer;
  readonly path: string;
}

/**
 * Whose word a file is. `brought`: it came with the repository, so whoever wrote it may be a stranger. `untrusted`: a local
 * file whose content nobody has trusted.
 */
type Standing = 'own' | 'untrusted' | 'brought';

/** A setting with where it came from, and whether it is in force. */
export interface OriginSetting extends Setting {
  readonly layer: Layer;
  readonly standing: Standing;
  /** True when only a trusted file may say it: a path that leads out of the project. */
  readonly isWithheld: boolean;
  readonly file: string;
  readonly isInForce: boolean;
}

/** The files of settings in the folder of a project, the strongest first. */
export const PROJECT_FILES: readonly string[] = ['config.local.yaml', 'config.yaml'];

/** Whether a file of a project is one of settings and not of a workflow. */
export function isSettingsFile({ home }: Project, file: string): boolean {
  return home !== undefined && PROJECT_FILES.some((name) => file === join(home, name));
}

/** Whether a project has a file of settings; reading one takes a parser that not every command needs. */
export function hasSettings({ home }: Project): boolean {
  return home !== undefined && PROJECT_FILES.some((name) => existsSync(join(home, name)));
}

/** The settings that hold for a project. */
export async function readSettings(shell: Shell, project: Project): Promise<Settings> {
  const all = await readOrigins(shell, project);
  const withheld = all.find(({ key, isWithheld }) => key === 'db' && isWithheld);
  if (withheld !== undefined) throw untrustedDatabase(withheld);
  return all.length === 0 ? {} : toSettings(all);
}

/** The files of settings that need trust, also where they keep the settings from being read. */
export async function filesToTrust(shell: Shell, project: Project): Promise<readonly string[]> {
  return powerfulIn(await readOrigins(shell, project)).map(({ file }) => file);
}

function untrustedDatabase({ file, value }: OriginSetting): EngineError {
  return new EngineError(
    'NOT_TRUSTED',
    `${file} names the database ${value}, which is outside of the project, and the file is not trusted; read it, then "pawl trust ${file}" allows exactly this content`,
    { details: { file } },
  );
}

/** The files of settings for a project, the strongest first, whether they exist or not. */
export function settingsFiles(shell: Shell, project: Project): SettingsFile[] {
  const user = userFolder(shell);
  return [
    ...(project.home === undefined
      ? []
      : [
          { layer: 'local' as const, path: join(project.home, 'config.local.yaml') },
          { layer: 'project' as const, path: join(project.home, 'config.yaml') },
        ]),
    ...(user === undefined ? [] : [{ layer: 'user' as const, path: join(user, 'config.yaml') }]),
  ];
}

function userFolder(shell: Shell): string | undefined {
  const { XDG_CONFIG_HOME, APPDATA, HOME } = shell.env;
  if (XDG_CONFIG_HOME !== undefined && isAbsolute(XDG_CONFIG_HOME)) return join(XDG_CONFIG_HOME, 'pawl');
  if (process.platform === 'win32' && APPDATA !== undefined) return join(APPDATA, 'pawl');
  const home = HOME !== undefined && HOME !== '' ? HOME : accountHome();
  return home !== undefined && isAbsolute(home) ? join(home, '.config', 'pawl') : undefined;
}

/** Every setting of every file, the strongest first; those that another one overrides are not in force. */
export async function readOrigins(shell: Shell, project: Project): Promise<OriginSetting[]> {
  const files = settingsFiles(shell, project).filter(({ path }) => existsSync(path));
  if (files.length === 0) return [];
  const { readSettingsFile } = await import('./file.ts');
  const found: OriginSetting[] = [];
  for (const { layer, path } of files) {
    const settings = await readSettingsFile(path);
    const standing = await standingOf(shell, { layer, path }, settings);
    for (const setting of settings) {
      const origin = { ...setting, layer, standing, file: path, isInForce: true, isWithheld: false };
      const what = PATHS[setting.key];
      found.push(what === undefined ? origin : withPath(project, origin, what));
    }
  }
  return settle(found);
}

/** Settings that are paths, as messages call them. */
const PATHS: Readonly<Record<string, string>> = {
  db: 'the database',
  'forge.repository': 'the repository of the forge',
  'forge.state': 'the state of the forge',
};

/** The setting with the absolute path that is meant; what a repository brings may name one inside of the project only. */
function withPath(project: Project, setting: OriginSetting, what: string): OriginSetting {
  const base = setting.layer === 'user' ? dirname(setting.file) : project.root;
  const path = resolve(base, String(setting.value));
  const isProject = setting.key === 'forge.repository' && path === project.root;
  const leadsOut = setting.standing !== 'own' && !isProject && !isInside(project.root, path);
  if (leadsOut && setting.standing === 'brought')
    throw refused(setting, `${what} ${path} is outside of the project, which a file that comes with the project may not set`);
  return { ...setting, value: path, isWithheld: leadsOut };
}

function isInside(root: string, path: string): boolean {
  const way = relative(realpathSync(root), realPathOf(path));
  return way !== '' && !isAbsolute(way) && way.split(/[\\/]/)[0] !== '..';
}

/** Where a path leads, links followed, as far as it exists. */
function realPathOf(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  return dirname(path) === path ? path : join(realPathOf(dirname(path)), basename(path));
}

/** Whose word a file is, by the very text that was read. */
async function standingOf(shell: Shell, { layer, path }: SettingsFile, [first]: readonly Setting[]): Promise<Standing> {
  if (layer !== 'local' || first === undefined) return layer === 'project' ? 'brought' : 'own';
  if (isTracked(path)) return 'brought';
  const { isTrustedText } = await import('../trust/trust.ts');
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

function refused({ file, position }: OriginSetting, what: string): EngineError {
  return new EngineError(
    'CONFIG_INVALID',
    `${what}; set it in your own file (the user's config.yaml, or config.local.yaml outside of git, once you trust it)`,
    {
      position: { file, ...position },
    },
  );
}

/** Says of each setting whether it is in force: the strongest, unless it came with the project and widens a weaker one. */
function settle(found: readonly OriginSetting[]): OriginSetting[] {
  const byKey = Map.groupBy(
    found.filter(({ isWithheld }) => !isWithheld),
    ({ key }) => spelled(key),
  );
  return found.map((setting) => ({ ...setting, isInForce: strongest(byKey.get(spelled(setting.key)) ?? []) === setting }));
}

/** One spelling for each setting: files may write `agent_roles` for `roles`. */
function spelled(key: string): string {
  return key === 'agent_roles' ? 'roles' : key;
}

function strongest(candidates: readonly OriginSetting[]): OriginSetting | undefined {
  const [first, ...weaker] = candidates;
  const next = weaker.length === 0 ? undefined : strongest(weaker);
  if (first === undefined || next === undefined) return widened(first);
  return widens(first, next) && first.standing !== 'own' ? next : first;
}

/** A list of variables that came with the project, where the user has none, is measured by the usual one. */
function widened(setting: OriginSetting | undefined): OriginSetting | undefined {
  if (setting?.key !== 'environment' || setting.standing === 'own') return setting;
  const more = namesOf(setting).filter((name) => !USUAL_VARIABLES.some((pattern) => covers(pattern, name)));
  if (more.length === 0) return setting;
  if (setting.standing === 'untrusted') return undefined;
  throw refused(
    setting,
    `the variable ${more.join(', ')} is not among those that programs inherit, which a file that comes with the project may not add to`,
  );
}

/** The variables that programs inherit where nothing is set. */
const USUAL_VARIABLES = ['PATH', 'HOME', 'LANG', 'LC_*', 'TERM', 'TMPDIR', 'TZ', 'USER', 'SHELL'];

function widens(setting: OriginSetting, weaker: OriginSetting): boolean {
  if (setting.key.startsWith('limits.')) return Number(setting.value) > Number(weaker.value);
  if (setting.key.startsWith('budgets.')) return isLarger(setting.value, weaker.value);
  if (setting.key === 'protected') return namesOf(weaker).some((pattern) => !namesOf(setting).includes(pattern));
  if (setting.key.startsWith('groups.')) return namesOf(setting).some((name) => !namesOf(weaker).includes(name));
  if (setting.key !== 'environment') return false;
  return namesOf(setting).some((name) => !namesOf(weaker).some((pattern) => covers(pattern, name)));
}

/** Whether a budget leaves any amount larger than another does; one that is not named is not limited. */
function isLarger(budget: Json, weaker: Json): boolean {
  const [ours, theirs] = [budget as Budget, weaker as Budget];
  return AMOUNTS.some((amount) => (ours[amount] ?? Number.POSITIVE_INFINITY) > (theirs[amount] ?? Number.POSITIVE_INFINITY));
}

function namesOf({ value }: OriginSetting): string[] {
  return (value as Json[]).map(String);
}

function covers(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

function toSettings(all: readonly OriginSetting[]): Settings {
  const inForce = all.filter(({ isInForce }) => isInForce);
  const powerful = powerfulIn(all);
  const value = (key: string): Json | undefined => inForce.find((setting) => setting.key === key)?.value;
  const table = (prefix: string): Record<string, Json> | undefined => {
    const rows = inForce.filter(({ key }) => key.startsWith(`${prefix}.`));
    return rows.length === 0 ? undefined : Object.fromEntries(rows.map((row) => [row.key.slice(prefix.length + 1), row.value]));
  };
  const limits = withoutAbsent({
    global: value('limits.global'),
    repository: value('limits.repository'),
    roles: table('limits.roles'),
    credentials: table('limits.credentials'),
    keys: table('limits.keys'),
  }) as Limits;
  return withoutAbsent({
    db: value('db'),
    limits: Object.keys(limits).length === 0 ? undefined : limits,
    stages: table('validation.stages'),
    inheritEnv: value('environment'),
    commands: table('commands'),
    project: table('project'),
    groups: table('groups'),
    forge: forgeOf(inForce, table('forge')),
    roles: value('roles') ?? value('agent_roles'),
    protected: value('protected'),
    decisions: value('decisions'),
    signs: all.some(({ key, layer }) => key === 'decisions' && layer === 'user') ? 'everywhere' : undefined,
    budgets: table('budgets'),
    powerful: powerful.length === 0 ? undefined : powerful,
  }) as Settings;
}

function forgeOf(inForce: readonly OriginSetting[], forge: Record<string, Json> | undefined): Record<string, Json> | undefined {
  if (forge === undefined || forge.kind !== undefined) return forge;
  const { file, position } = inForce.find(({ key }) => key.startsWith('forge.')) as OriginSetting;
  throw new EngineError('CONFIG_INVALID', '"forge" does not say what it is; add "kind: local"', { position: { file, ...position } });
}

/** Settings that name what is run or acted on. */
const POWERFUL = ['forge.', 'validation.stages.', 'commands.'];

/** The files of the project that name what is run, acted on or asked, or that widen what the user allows. */
function powerfulIn(all: readonly OriginSetting[]): PowerfulFile[] {
  const needsTrust = (setting: OriginSetting): boolean => {
    if (setting.standing === 'own') return false;
    // A local file comes before all others: what of it is not in force would have widened something.
    if (!setting.isInForce) return setting.standing === 'untrusted';
    return namesPower(setting) || (setting.key.startsWith('groups.') && !narrowsOwn(setting, all));
  };
  const found = all.filter(needsTrust).map(({ file, digest }) => [file, { file, digest }] as const);
  return [...new Map(found).values()];
}

function namesPower({ key, value }: OriginSetting): boolean {
  return POWERFUL.some((prefix) => key.startsWith(prefix)) || (spelled(key) === 'roles' && equipsAgents(value));
}

/** Whether the user has a group of that name: then what is in force can only have taken people out of it. */
function narrowsOwn({ key }: OriginSetting, all: readonly OriginSetting[]): boolean {
  return all.some((other) => other.key === key && other.standing === 'own');
}

/** Whether roles are given more than what triggers them: a driver, a program, permissions. */
function equipsAgents(roles: Json): boolean {
  return (
    isJsonObject(roles) &&
    Object.values(roles).some((role) => isJsonObject(role) && Object.keys(role).some((field) => field !== 'triggers'))
  );
}

function withoutAbsent(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
