// Owns the protected databases that a step uses: their declaration, its validation, and its meaning for each kind of
// step. Only the project or the application knows where a database is.

import { isJsonObject, isList, type Json } from '../base/json.ts';
import { type KindFacts, traitsOf } from './kind.ts';
import { type StepKind, type StepModel, withMembers } from './model.ts';
import { patternRefusal } from './output-pattern.ts';

/** What a step may do with a protected database. */
export interface DatabaseUseSpec {
  /** `write` (the default): changes are accepted together with the step. `read`: a change fails the attempt. */
  readonly access?: 'read' | 'write';
  /** How many rows an agent or a program may delete in one attempt. Default: none. Functions confirm each delete. */
  readonly deletes?: number;
  /** The path in the workspace of the copy for an agent or a program. Default: outside the workspace. */
  readonly copy?: string;
  /** Queries that must return something other than 0 and NULL when the step is done: `SELECT count(*) = 12 FROM chapters`. */
  readonly expect?: readonly string[];
}

/** How it is written: the names, or what each may be used for. */
export type DatabasesSpec = readonly string[] | { readonly [name: string]: 'read' | 'write' | DatabaseUseSpec };

/** A database that a step works on. */
export interface DatabaseUse {
  readonly name: string;
  readonly access: 'read' | 'write';
  readonly deletes?: number;
  readonly copy?: string;
  readonly expect: readonly string[];
}

const NAME = /^[A-Za-z][\w-]{0,63}$/;
const FIELDS: readonly string[] = ['access', 'deletes', 'copy', 'expect'];

/** The environment variable that names a program's copy of a database. */
export function databaseVariable(name: string): string {
  return `PAWL_DB_${name.toUpperCase().replaceAll('-', '_')}`;
}

/** What is wrong with `databases`, if anything; completes the sentence "`databases` …". */
export function databasesFault(value: Json): string | undefined {
  const uses = Array.isArray(value)
    ? value.map((name): [Json, Json] => [name, 'write'])
    : isJsonObject(value)
      ? Object.entries(value)
      : undefined;
  if (uses === undefined) return 'must be a list of names, such as [book], or a map from names to read or write';
  for (const [name, use] of uses) {
    if (typeof name !== 'string' || !NAME.test(name))
      return `has the invalid name ${JSON.stringify(name)}; use letters, digits, "_" and "-"`;
    const fault = useFault(use);
    if (fault !== undefined) return `has "${name}", ${fault}`;
  }
  const variables = uses.map(([name]) => databaseVariable(String(name)));
  const twice = variables.find((variable, index) => variables.indexOf(variable) !== index);
  if (twice !== undefined) return `has two names that would both be in the environment variable ${twice}`;
  const written = databaseUses(value as DatabasesSpec).filter(({ access }) => access === 'write');
  return written.length < 2
    ? undefined
    : `would let one step write ${written.map(({ name }) => `"${name}"`).join(' and ')}, which cannot be one transaction; give it read access to all but one`;
}

function useFault(use: Json): string | undefined {
  if (use === 'read' || use === 'write') return undefined;
  if (!isJsonObject(use)) return 'which must be read, write, or a map with access, deletes, copy and expect';
  const unknown = Object.keys(use).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) return `with the unknown field "${unknown}"; the fields are ${FIELDS.join(', ')}`;
  const { access = 'write', deletes = 0, copy, expect = [] } = use;
  if (access !== 'read' && access !== 'write') return 'whose `access` must be read or write';
  if (!Number.isSafeInteger(deletes) || Number(deletes) < 0) return 'whose `deletes` must be a whole number of rows';
  if (!Array.isArray(expect) || expect.some((query) => typeof query !== 'string' || query.trim() === ''))
    return 'whose `expect` must be a list of queries';
  if (copy === undefined) return undefined;
  if (typeof copy !== 'string' || /[*?[\]{}]/.test(copy)) return 'whose `copy` must be a path inside the workspace';
  const refusal = patternRefusal(copy);
  return refusal === undefined ? undefined : `whose \`copy\` is invalid: ${refusal}`;
}

/** A valid declaration (see `databasesFault`) as a list. */
function databaseUses(spec: DatabasesSpec): DatabaseUse[] {
  if (isList(spec)) return spec.map((name) => ({ name, access: 'write', expect: [] }));
  return Object.entries(spec).map(([name, use]) => {
    const { access = 'write', deletes, copy, expect = [] } = typeof use === 'string' ? { access: use } : use;
    return { name, access, expect, ...(deletes === undefined ? {} : { deletes }), ...(copy === undefined ? {} : { copy }) };
  });
}

/** The names of the databases of a step. */
export function databaseNames({ databases }: Pick<StepModel, 'databases'>): readonly string[] {
  return databases === undefined || databasesFault(databases as Json) !== undefined ? [] : databaseUses(databases).map(({ name }) => name);
}

/** The databases of a step. A step that only waits or checks reads them. */
export function databasesOf(kinds: KindFacts['kinds'], { kind, databases }: Pick<StepModel, 'kind' | 'databases'>): DatabaseUse[] {
  if (databases === undefined || databasesFault(databases as Json) !== undefined) return [];
  const uses = databaseUses(databases);
  return canWrite(kinds, kind) ? uses : uses.map((use) => ({ ...use, access: 'read' }));
}

/** The database that a step writes. */
export function writtenDatabase(kinds: KindFacts['kinds'], step: Pick<StepModel, 'kind' | 'databases'>): DatabaseUse | undefined {
  return databasesOf(kinds, step).find(({ access }) => access === 'write');
}

/** Whether the work of a kind of step can write to databases; others only look, in their conditions. */
export function canWrite(kinds: KindFacts['kinds'], kind: StepKind): boolean {
  return traitsOf({ kinds }, kind).worker !== undefined;
}

/** Whether a kind of step has a use for databases. */
export function usesDatabases(kinds: KindFacts['kinds'], kind: StepKind): boolean {
  return canWrite(kinds, kind) || traitsOf({ kinds }, kind).readsDatabases === true;
}

/** The step with the databases of its workflow, if it does not name its own. */
export function withDatabases(kinds: KindFacts['kinds'], step: StepModel, databases: DatabasesSpec | undefined): StepModel {
  // A fault of the workflow is reported once, not at every step.
  if (databases === undefined || databasesFault(databases as Json) !== undefined) return step;
  const inner = withMembers(step, (member) => withDatabases(kinds, member, databases));
  return usesDatabases(kinds, step.kind) && step.databases === undefined ? { ...inner, databases } : inner;
}

/** The step without databases that it has from its workflow. */
export function withoutDatabases(step: StepModel, databases: DatabasesSpec | undefined): StepModel {
  if (databases === undefined) return step;
  const { databases: own, ...inner } = withMembers(step, (member) => withoutDatabases(member, databases));
  return own === undefined || JSON.stringify(own) === JSON.stringify(databases) ? inner : { ...inner, databases: own };
}
