// Owns the roles of a project, from the files in its `agents` folder and its settings, and their drivers.
//
// - A field in the settings overrides the same field in the role's file.
// - A role without a driver is `attended`: the calling agent does its work.

import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { createAcpDriver } from '../agents/acp/acp.ts';
import { createAiSdkDriver } from '../agents/ai-sdk/ai-sdk.ts';
import { packagesOf, projectModels } from '../agents/ai-sdk/provider.ts';
import { createClaudeCodeDriver } from '../agents/claude-code/claude-code.ts';
import type { SubAgent } from '../agents/claude-code/start.ts';
import { createCodexDriver } from '../agents/codex/codex.ts';
import { createCommandDriver } from '../agents/command.ts';
import type { AgentDriver } from '../agents/driver.ts';
import { createRoleDriver } from '../agents/role-driver.ts';
import { roleFieldsOf, writtenRole } from '../agents/role-fields.ts';
import { parseRoleFile, type RoleFile } from '../agents/role-file.ts';
import { EngineError } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { readPlainFile } from '../base/plain-file.ts';
import { type Fault, parseShape } from '../base/shape.ts';
import { didYouMean } from '../base/suggest.ts';
import { type SecretSettings, Secrets } from '../steps/secrets.ts';
import type { RoleSetting } from '../steps/services.ts';
import { type Project, roleFilesOf } from './project.ts';

interface Roles {
  readonly roles: Readonly<Record<string, RoleSetting>>;
  readonly drivers: Readonly<Record<string, AgentDriver>>;
  /** The role files, which must be trusted before runs are driven. */
  readonly files: readonly string[];
}

/** The settings that roles need: `roles`, validated or not, and the secrets that they name. */
export interface RoleSettings {
  readonly roles?: Json;
  readonly secrets?: SecretSettings | undefined;
}

interface Role extends RoleFile {
  readonly name: string;
  readonly file?: string;
}

/** Fields that configure the driver, so that roles with one of them do not share a driver. */
const DRIVER_FIELDS = ['argv', 'env', 'baseUrl', 'settingSources', 'retry', 'agents'] as const;
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/;

/** How a driver uses the program of a role: it must be set, has a default, or is never started. */
const DRIVERS: Readonly<Record<string, 'required' | 'default' | 'none'>> = {
  ...{ attended: 'none', acp: 'required', 'ai-sdk': 'none', 'claude-code': 'default', codex: 'default', command: 'required' },
};

/** Reads the roles of a project and creates their drivers. */
export async function readRoles(project: Project, settings: RoleSettings): Promise<Roles> {
  const found = await readRoleList(project, settings);
  const secrets = new Secrets(settings.secrets ?? {});
  const drivers: Record<string, AgentDriver> = {};
  const roles: [string, RoleSetting][] = [];
  for (const role of found) {
    const setting = settingOf(role);
    const isShared = DRIVER_FIELDS.every((field) => role[field] === undefined);
    const key = isShared ? setting.driver : `${setting.driver}:${role.name}`;
    const driver = createDriver(project, role, found);
    const secret = (name: string): Promise<string> => secrets.value(name);
    if (driver !== undefined) drivers[key] ??= createRoleDriver(driver, { ...omitUndefined({ env: role.env, retry: role.retry }), secret });
    roles.push([role.name, { ...setting, driver: key }]);
  }
  const files = found.flatMap(({ file }) => (file === undefined ? [] : [file]));
  return { roles: Object.fromEntries(roles), drivers, files };
}

/** The roles from files and settings, sorted by name. */
export async function readRoleList({ root }: Project, { roles = {} }: RoleSettings): Promise<readonly Role[]> {
  const files = roleFilesOf({ root });
  if (files.length === 0 && Object.keys(roles ?? {}).length === 0) return [];
  const found = new Map<string, Role>();
  for (const file of files) {
    const name = basename(file, '.md');
    if (!NAME.test(name)) throw invalid(file, `"${name}" is not a valid role name; use letters, digits, "-" and "_"`);
    const other = found.get(name)?.file;
    if (other !== undefined) throw invalid(file, `role "${name}" is also defined in ${other}; keep one of them`);
    found.set(name, { ...parseRoleFile(file, textOf(file)), name, file });
  }
  for (const [name, setting] of Object.entries(isJsonObject(roles) ? roles : {}))
    found.set(name, { ...found.get(name), ...fieldsOf(name, setting), name });
  return [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

function textOf(file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readPlainFile(file));
  } catch (cause) {
    throw new EngineError('CONFIG_INVALID', `cannot read role file ${file} as UTF-8 text`, { cause });
  }
}

function fieldsOf(name: string, setting: Json): Partial<RoleFile> {
  // Triggers start runs; they are not part of the role itself.
  const { triggers: _, ...fields } = isJsonObject(setting) ? setting : ({} as JsonObject);
  const errorOf = ({ path, what }: Fault): EngineError =>
    new EngineError('CONFIG_INVALID', `"${['roles', name, ...path].join('.')}" in the settings ${what}`);
  return roleFieldsOf(parseShape(writtenRole, fields, errorOf));
}

function settingOf(role: Role): RoleSetting {
  const { name, file, description: _, driver = 'attended', env, retry, baseUrl, settingSources, agents, ...rest } = role;
  const setting: RoleSetting = { driver, ...rest };
  const unknown = driverProblem(driver);
  const program = DRIVERS[driver];
  const noProgram = `but the driver "${driver}" starts no program; remove`;
  const claudeOnly = settingSources !== undefined ? 'setting_sources' : agents !== undefined ? 'agents' : undefined;
  const problems: readonly (readonly [boolean, string])[] = [
    [unknown !== undefined, `has ${unknown}`],
    [
      program === 'required' && setting.argv === undefined,
      `has the driver "${driver}" but no program; add argv, such as [my-agent, --acp]`,
    ],
    [program === 'none' && setting.argv !== undefined, `has argv, ${noProgram} argv`],
    [program === 'none' && env !== undefined, `has env, ${noProgram} env`],
    [driver === 'attended' && retry !== undefined, 'has retry, but the calling agent does its work; set a driver, or remove retry'],
    [baseUrl !== undefined && program !== 'default', `has base_url, which only the drivers claude-code and codex support, not "${driver}"`],
    [
      claudeOnly !== undefined && driver !== 'claude-code',
      `has ${claudeOnly}, which only the driver claude-code supports, not "${driver}"`,
    ],
  ];
  const problem = problems.find(([applies]) => applies);
  if (problem !== undefined) throw invalid(file, `role "${name}" ${problem[1]}`);
  return setting;
}

/** The problem if a driver does not exist, as the object of "has". */
export function driverProblem(driver: string): string | undefined {
  if (Object.hasOwn(DRIVERS, driver)) return undefined;
  const known = Object.keys(DRIVERS);
  return `the unknown driver "${driver}"${didYouMean(driver, known)}; known drivers: ${known.join(', ')}`;
}

function invalid(file: string | undefined, message: string): EngineError {
  return new EngineError(
    'CONFIG_INVALID',
    message,
    omitUndefined({ position: file === undefined ? undefined : { file, line: 1, column: 1 } }),
  );
}

const INTERPRETERS = /^(?:node|deno|bun|python\d*(?:\.\d+)?|ruby|perl|sh|bash|zsh)$/;

/**
 * The program of a role with an absolute path: agents work in worktrees, which lack uncommitted files, and where an agent could
 * change the program.
 */
export function programOf(root: string, argv: readonly string[]): readonly string[] {
  const [program = '', script, ...rest] = argv;
  if (program.includes('/')) return [resolve(root, program), ...argv.slice(1)];
  if (!INTERPRETERS.test(program) || !script || script.startsWith('-')) return argv;
  const file = resolve(root, script);
  return existsSync(file) ? [program, file, ...rest] : argv;
}

function subAgentsOf({ name, file, agents }: Role, roles: readonly Role[]): readonly SubAgent[] | undefined {
  return agents?.map((named) => {
    const other = roles.find((one) => one.name === named);
    if (other?.prompt === undefined) {
      const known = didYouMean(
        named,
        roles.filter(({ prompt }) => prompt !== undefined).map((one) => one.name),
      );
      throw invalid(file, `role "${name}" names the sub-agent "${named}", but no role file has instructions for it${known}`);
    }
    const { prompt, model, description = prompt.split('\n')[0] as string } = other;
    return { name: named, description, prompt, ...omitUndefined({ model }) };
  });
}

/** Creates the driver of a role; none if the calling agent does its work. `roles`: those that can be its sub-agents. */
function createDriver({ root }: Project, role: Role, roles: readonly Role[]): AgentDriver | undefined {
  const { baseUrl, settingSources } = role;
  const argv = role.argv === undefined ? undefined : programOf(root, role.argv);
  switch (role.driver) {
    case 'acp':
      return createAcpDriver({ argv: argv ?? [] });
    case 'command':
      return createCommandDriver({ argv: argv ?? [] });
    case 'claude-code':
      return createClaudeCodeDriver({
        ...omitUndefined({ program: argv, settingSources, agents: subAgentsOf(role, roles) }),
        ...(baseUrl === undefined ? {} : { env: { ANTHROPIC_BASE_URL: baseUrl } }),
      });
    case 'codex':
      return createCodexDriver(omitUndefined({ program: argv, baseUrl }));
    case 'ai-sdk':
      packagesOf(role.model);
      return createAiSdkDriver(projectModels(root));
    default:
      return undefined;
  }
}
