// Owns the roles of a project: what the files in its `agents` folder and its settings say of them, as the roles and
// drivers of an engine.
//
// R1. The settings say more than the file of a role: field by field, they come before it.
// R2. A role that names no driver is `attended`: the agent that called us does its work.

import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { createAcpDriver } from '../agents/acp/acp.ts';
import { createAiSdkDriver } from '../agents/ai-sdk/ai-sdk.ts';
import { packagesOf, projectModels } from '../agents/ai-sdk/provider.ts';
import { createClaudeCodeDriver } from '../agents/claude-code/claude-code.ts';
import { createCodexDriver } from '../agents/codex/codex.ts';
import { createCommandDriver } from '../agents/command.ts';
import type { AgentDriver } from '../agents/driver.ts';
import { roleFieldsFault, roleFieldsOf } from '../agents/role-fields.ts';
import { parseRoleFile, type RoleFile } from '../agents/role-file.ts';
import { EngineError } from '../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { didYouMean } from '../base/suggest.ts';
import type { RoleSetting } from '../steps/services.ts';
import { readPlainFile } from './plain-file.ts';
import { type Project, roleFilesOf } from './project.ts';

/** The roles of a project, and how each is reached. */
export interface Roles {
  readonly roles: Readonly<Record<string, RoleSetting>>;
  readonly drivers: Readonly<Record<string, AgentDriver>>;
  /** Files that say what agents are told, may do and are started with: nothing is driven unless they are trusted. */
  readonly files: readonly string[];
}

/** What of the settings concerns roles: what stands under `roles`, checked or not. */
export interface RoleSettings {
  readonly roles?: Json;
}

interface Role extends RoleFile {
  readonly name: string;
  /** Where it is written, for messages. */
  readonly file?: string;
}

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/;
const DRIVERS = ['attended', 'acp', 'ai-sdk', 'claude-code', 'codex', 'command'];

/** Reads the roles of a project and makes their drivers. */
export async function readRoles(project: Project, settings: RoleSettings): Promise<Roles> {
  const found = await readRoleList(project, settings);
  const drivers: Record<string, AgentDriver> = {};
  const roles: [string, RoleSetting][] = [];
  for (const role of found) {
    const setting = settingOf(role);
    const driver = driverOf(project, role, setting);
    const key = setting.argv === undefined ? setting.driver : `${setting.driver}:${role.name}`;
    if (driver !== undefined) drivers[key] ??= driver;
    roles.push([role.name, { ...setting, driver: key }]);
  }
  const files = found.flatMap(({ file }) => (file === undefined ? [] : [file]));
  return { roles: Object.fromEntries(roles), drivers, files };
}

/** What is said of each role, by the files and the settings together; sorted by name. */
export async function readRoleList({ root }: Project, { roles = {} }: RoleSettings): Promise<readonly Role[]> {
  const files = roleFilesOf({ root });
  if (files.length === 0 && Object.keys(roles ?? {}).length === 0) return [];
  const found = new Map<string, Role>();
  for (const file of files) {
    const name = basename(file, '.md');
    if (!NAME.test(name)) throw invalid(file, `"${name}" is no name of a role; use letters, digits, "-" and "_"`);
    const other = found.get(name)?.file;
    if (other !== undefined) throw invalid(file, `the role "${name}" is described in ${other} as well; keep one of them`);
    found.set(name, { ...parseRoleFile(file, textOf(file)), name, file });
  }
  for (const [name, said] of Object.entries(isJsonObject(roles) ? roles : {}))
    found.set(name, { ...found.get(name), ...fieldsOf(name, said), name });
  return [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

function textOf(file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readPlainFile(file));
  } catch (cause) {
    throw new EngineError('CONFIG_INVALID', `the file of a role cannot be read as UTF-8 text: ${file}`, { cause });
  }
}

function fieldsOf(name: string, said: Json): Partial<RoleFile> {
  // Triggers start runs; they say nothing about how the role works.
  const { triggers: _, ...fields } = isJsonObject(said) ? said : ({} as JsonObject);
  const fault = roleFieldsFault(fields);
  if (fault !== undefined)
    throw new EngineError('CONFIG_INVALID', `"${['roles', name, ...fault.path].join('.')}" in the settings ${fault.what}`);
  return roleFieldsOf(fields);
}

function settingOf({ name, file, description: _, driver = 'attended', ...rest }: Role): RoleSetting {
  const setting: RoleSetting = { driver, ...rest };
  const refuse = (what: string): EngineError => invalid(file, `the role "${name}" ${what}`);
  if (!DRIVERS.includes(driver))
    throw refuse(`names the driver "${driver}"${didYouMean(driver, DRIVERS)}; there are ${DRIVERS.join(', ')}`);
  if ((driver === 'acp' || driver === 'command') && setting.argv === undefined)
    throw refuse(`names the driver "${driver}" and no program; add argv, such as [my-agent, --acp]`);
  if ((driver === 'ai-sdk' || driver === 'attended') && setting.argv !== undefined)
    throw refuse(`has argv, and the driver "${driver}" starts no program; remove it`);
  return setting;
}

function invalid(file: string | undefined, what: string): EngineError {
  return new EngineError('CONFIG_INVALID', what, file === undefined ? {} : { position: { file, line: 1, column: 1 } });
}

/** Programs whose first word is a file of code. */
const INTERPRETERS = /^(?:node|deno|bun|python\d*(?:\.\d+)?|ruby|perl|sh|bash|zsh)$/;

/**
 * The program of a role, with its file named in full: agents work in worktrees, which have no file that nobody committed,
 * and in which an agent could change the one that is there.
 */
export function programOf(root: string, argv: readonly string[]): readonly string[] {
  const [program = '', script = '', ...rest] = argv;
  if (program.includes('/')) return [resolve(root, program), ...argv.slice(1)];
  const file = INTERPRETERS.test(program) && script !== '' && !script.startsWith('-') ? resolve(root, script) : '';
  return file !== '' && existsSync(file) ? [program, file, ...rest] : argv;
}

function driverOf({ root }: Project, role: Role, setting: RoleSetting): AgentDriver | undefined {
  const { driver } = setting;
  const argv = setting.argv === undefined ? undefined : programOf(root, setting.argv);
  switch (driver) {
    case 'acp':
      return createAcpDriver({ argv: argv ?? [] });
    case 'command':
      return createCommandDriver({ argv: argv ?? [] });
    case 'claude-code':
      return createClaudeCodeDriver(argv === undefined ? {} : { program: argv });
    case 'codex':
      return createCodexDriver(argv === undefined ? {} : { program: argv });
    case 'ai-sdk':
      packagesOf(role.model);
      return createAiSdkDriver(projectModels(root));
    default:
      // The agent that called us is reached by whoever answers it.
      return undefined;
  }
}
