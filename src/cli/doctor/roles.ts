// Owns the checks of `pawl doctor` on the roles of a project: which there are, and whether their program or package is
// installed. Starts nothing.

import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { isEngineError } from '../../base/error.ts';
import { type NetworkSpec, networkOf } from '../../definition/network.ts';
import { networkSupport } from '../../process/network.ts';
import type { Project } from '../project.ts';
import { type RoleSettings, readRoleList, readRoles } from '../roles.ts';
import { type Check, okCheck } from './doctor.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The drivers that start a program, whose network access can be limited. */
const FENCED: readonly string[] = ['acp', 'claude-code', 'codex', 'command'];

/** The default programs of drivers. */
const PROGRAMS: Readonly<Record<string, string>> = { 'claude-code': 'claude', codex: 'codex' };

/** Checks the roles of a project. */
export async function checkRoles(project: Project, settings: RoleSettings, env: Environment): Promise<Check[]> {
  try {
    // Creates the drivers and drops them, to find invalid roles now instead of in the middle of a run.
    await readRoles(project, settings);
    const roles = await readRoleList(project, settings);
    if (roles.length === 0) return [okCheck('roles', 'no roles are defined')];
    return await Promise.all(
      roles.map(async ({ name, driver = 'attended', argv, model, permissions }) => {
        const missing = await missingFor(project, { driver, argv, model }, env);
        const what = `role ${name}: ${driver}${argv === undefined ? '' : `, ${argv.join(' ')}`}${model === undefined ? '' : `, ${model}`}`;
        if (missing !== undefined) return { id: 'role', status: 'warning', what: `${what}; ${missing.what}`, hint: missing.hint } as const;
        return permissions?.network === undefined ? okCheck('role', what) : networkCheck(what, driver, permissions.network);
      }),
    );
  } catch (error) {
    if (!isEngineError(error)) throw error;
    const { position } = error;
    const where = position?.file === undefined ? '' : `${position.file}:${position.line}:${position.column}: `;
    return [{ id: 'role', status: 'problem', what: `${where}${error.message}`, hint: 'fix the role; no run that needs it can start' }];
  }
}

/** A role whose network access is limited: to which hosts, and whether that is enforced. */
function networkCheck(what: string, driver: string, spec: NetworkSpec): Check {
  const { allow, required } = networkOf(spec);
  const hosts = `${what}, network: ${allow.length === 0 ? 'none' : allow.join(', ')}`;
  const support = networkSupport();
  const why = FENCED.includes(driver) ? (support.by === 'nothing' ? support.why : undefined) : `the driver "${driver}" starts no program`;
  if (why === undefined) return okCheck('role', `${hosts} (enforced by ${support.by})`);
  const hint =
    required === true
      ? 'it cannot be used here, because its network rule is required'
      : 'run it on Linux with user namespaces or bubblewrap';
  return { id: 'role', status: required === true ? 'problem' : 'warning', what: `${hosts} (not enforced here: ${why})`, hint };
}

interface RoleProgram {
  readonly driver: string;
  readonly argv: readonly string[] | undefined;
  readonly model: string | undefined;
}

async function missingFor(
  { root }: Project,
  { driver, argv, model }: RoleProgram,
  env: Environment,
): Promise<{ readonly what: string; readonly hint: string } | undefined> {
  if (driver === 'ai-sdk') {
    const { hasPackage, packagesOf } = await import('../../agents/ai-sdk/provider.ts');
    const absent = packagesOf(model).filter((name) => !hasPackage(root, name));
    if (absent.length === 0) return undefined;
    return { what: `${absent.join(' and ')} cannot be found`, hint: `npm install ${absent.join(' ')}` };
  }
  const program = argv?.[0] ?? PROGRAMS[driver];
  if (program === undefined || isFound(program, root, env)) return undefined;
  return { what: `the program "${program}" cannot be found`, hint: 'install it, or add it to the PATH' };
}

function isFound(program: string, root: string, env: Environment): boolean {
  if (isAbsolute(program)) return isProgram(program);
  if (/[\\/]/.test(program)) return isProgram(join(root, program));
  const endings = process.platform === 'win32' ? (env.PATHEXT ?? '.EXE').split(';') : [''];
  return (env.PATH ?? '').split(delimiter).some((folder) => endings.some((ending) => isProgram(join(folder, program + ending))));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
