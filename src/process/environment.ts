// Owns the environment of a command: our variables on an allow-list, the variables declared for it, and its mark.

import { MARK_VARIABLE } from './process-table.ts';

/** The variables a command inherits by default. A name ending in `*` matches a prefix. */
export const INHERITED_VARIABLES: readonly string[] = ['PATH', 'HOME', 'LANG', 'LC_*', 'TERM', 'TMPDIR', 'TZ', 'USER', 'SHELL'];

/** The inputs for the environment of one command. */
interface EnvironmentSpec {
  readonly env?: Readonly<Record<string, string>>;
  readonly inheritEnv?: readonly string[];
  readonly mark: string;
}

/** Returns the complete environment of a command. Declared variables override inherited ones, and the mark overrides both. */
export function commandEnvironment(spec: EnvironmentSpec): Record<string, string> {
  const allowed = spec.inheritEnv ?? INHERITED_VARIABLES;
  const inherited = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && allowed.some((pattern) => covers(pattern, entry[0])),
  );
  return { ...Object.fromEntries(inherited), ...spec.env, [MARK_VARIABLE]: spec.mark };
}

/** Whether a name, or a prefix that ends in `*`, covers a variable. */
export function covers(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
