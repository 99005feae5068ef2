// Owns the roles of a project: reads the files in its `agents` folder and its settings, and creates their drivers.
//
// - Each field in the settings overrides the same field in the role's file.
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
import { roleFieldsFault, roleFieldsOf } from '../agents/role-fields.ts';
import { parseRoleFile, type RoleFile } from '../agents/role-file.ts';
import { EngineError } from '../base/error.ts';
import { present } from '../base/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { readPlainFile } from '../base/plain-file.ts';
import { didYouMean } from '../base/suggest.ts';
import { type SecretSettings, Secrets } from '../steps/secrets.ts';
import type { RoleSetting } from '../steps/services.ts';
import { type Project, roleFilesOf } from './project.ts';

/** The roles of a project, and their drivers. */
interface Roles {
  readonly roles: Readonly<Record<string, RoleSetting>>;
  readonly drivers: Readonly<Record<string, AgentDriver>>;
  /** The role files, which must be trusted before runs are driven. */
  readonly files: readonly string[];
}

/** The parts of the settings that roles need: `roles`, validated or not, and the secrets that they name. */
export interface RoleSettings {
  readonly roles?: Json;
  readonly secrets?: SecretSettings | undefined;
}

interface Role extends RoleFile {
  readonly name: string;
  /** Its file, for messages. */
  readonly file?: string;
}

/** Fields that make the driver of a role its own. */
const OWN_FIELDS = ['argv', 'env', 'baseUrl', 'settingSources', 'retry', 'agents'] as const;
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/;
const DRIVERS = ['attended', 'acp', 'ai-sdk', 'claude-code', 'codex', 'command'];

/** Reads the roles of a project and creates their drivers. */
export async function readRoles(project: Project, settings: RoleSettings): Promise<Roles> {
  const found = await readRoleList(project, settings);
  const secrets = new Secrets(settings.secrets ?? {});
  const drivers: Record<string, AgentDriver> = {};
  const roles: [string, RoleSetting][] = [];
  for (const role of found) {
    const setting = settingOf(role);
    const isOwn = OWN_FIELDS.some((field) => role[field] !== undefined);
    const key = isOwn ? `${setting.driver}:${role.name}` : setting.driver;
    const driver = driverOf(project, role, { setting, others: found });
    const secret = (name: string): Promise<string> => secrets.value(name);
    if (driver !== undefined) drivers[key] ??= createRoleDriver(driver, { ...present({ env: role.env, retry: role.retry }), secret });
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
  const fault = roleFieldsFault(fields);
  if (fault !== undefined)
    throw new EngineError('CONFIG_INVALID', `"${['roles', name, ...fault.path].join('.')}" in the settings ${fault.what}`);
  return roleFieldsOf(fields);
}

function settingOf(role: Role): RoleSetting {
  const { name, file, description: _, driver = 'attended', env, retry, baseUrl, settingSources, agents, ...rest } = role;
  const setting: RoleSetting = { driver, ...rest };
  const refuse = (what: string): EngineError => invalid(file, `role "${name}" ${what}`);
  const problem = driverProblem(driver);
  if (problem !== undefined) throw refuse(`has ${problem}`);
  if ((driver === 'acp' || driver === 'command') && setting.argv === undefined)
    throw refuse(`has the driver "${driver}" but no program; add argv, such as [my-agent, --acp]`);
  if ((driver === 'ai-sdk' || driver === 'attended') && setting.argv !== undefined)
    throw refuse(`has argv, but the driver "${driver}" starts no program; remove argv`);
  if ((driver === 'ai-sdk' || driver === 'attended') && env !== undefined)
    throw refuse(`has env, but the driver "${driver}" starts no program; remove env`);
  if (driver === 'attended' && retry !== undefined)
    throw refuse('has retry, but the calling agent does its work; set a driver, or remove retry');
  if (baseUrl !== undefined && driver !== 'claude-code' && driver !== 'codex')
    throw refuse(`has base_url, which only the drivers claude-code and codex support, not "${driver}"`);
  const ofClaude = settingSources !== undefined ? 'setting_sources' : agents !== undefined ? 'agents' : undefined;
  if (ofClaude !== undefined && driver !== 'claude-code')
    throw refuse(`has ${ofClaude}, which only the driver claude-code supports, not "${driver}"`);
  return setting;
}

/** Returns what is wrong with the name of a driver, if anything. */
export function driverProblem(driver: string): string | undefined {
  if (DRIVERS.includes(driver)) return undefined;
  return `the unknown driver "${driver}"${didYouMean(driver, DRIVERS)}; known drivers: ${DRIVERS.join(', ')}`;
}

function invalid(file: string | undefined, what: string): EngineError {
  return new EngineError('CONFIG_INVALID', what, present({ position: file === undefined ? undefined : { file, line: 1, column: 1 } }));
}

/** Programs whose first argument is a script. */
const INTERPRETERS = /^(?:node|deno|bun|python\d*(?:\.\d+)?|ruby|perl|sh|bash|zsh)$/;

/**
 * The program of a role, with an absolute path: agents work in worktrees, which lack uncommitted files and in which an
 * agent could change the program.
 */
export function programOf(root: string, argv: readonly string[]): readonly string[] {
  const [program = '', script = '', ...rest] = argv;
  if (program.includes('/')) return [resolve(root, program), ...argv.slice(1)];
  const file = INTERPRETERS.test(program) && script !== '' && !script.startsWith('-') ? resolve(root, script) : '';
  return file !== '' && existsSync(file) ? [program, file, ...rest] : argv;
}

interface RoleContext {
  readonly setting: RoleSetting;
  readonly others: readonly Role[];
}

/** The sub-agents of a role: other roles, with their instructions. */
function subAgentsOf({ name, file, agents }: Role, others: readonly Role[]): readonly SubAgent[] | undefined {
  return agents?.map((named) => {
    const other = others.find((one) => one.name === named);
    if (other?.prompt === undefined) {
      const known = others.filter(({ prompt }) => prompt !== undefined).map((one) => one.name);
      throw invalid(
        file,
        `role "${name}" names the sub-agent "${named}", and there is no role file with instructions for it${didYouMean(named, known)}`,
      );
    }
    const { prompt, model, description = prompt.split('\n')[0] as string } = other;
    return { name: named, description, prompt, ...present({ model }) };
  });
}

function driverOf({ root }: Project, role: Role, { setting, others }: RoleContext): AgentDriver | undefined {
  const { driver } = setting;
  const { baseUrl, settingSources } = role;
  const argv = setting.argv === undefined ? undefined : programOf(root, setting.argv);
  switch (driver) {
    case 'acp':
      return createAcpDriver({ argv: argv ?? [] });
    case 'command':
      return createCommandDriver({ argv: argv ?? [] });
    case 'claude-code':
      return createClaudeCodeDriver({
        ...present({ program: argv, settingSources, agents: subAgentsOf(role, others) }),
        ...(baseUrl === undefined ? {} : { env: { ANTHROPIC_BASE_URL: baseUrl } }),
      });
    case 'codex':
      return createCodexDriver(present({ program: argv, baseUrl }));
    case 'ai-sdk':
      packagesOf(role.model);
      return createAiSdkDriver(projectModels(root));
    default:
      // The calling agent is not started by a driver.
      return undefined;
  }
}
