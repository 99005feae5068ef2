// Owns which variables of ours a command gets to see: those on an allow-list, those declared for it, and its mark.

import { MARK_VARIABLE } from './process-table.ts';

/** The variables a command inherits unless it names its own list; a name ending in `*` covers all that begin so. */
export const INHERITED_VARIABLES: readonly string[] = ['PATH', 'HOME', 'LANG', 'LC_*', 'TERM', 'TMPDIR', 'TZ', 'USER', 'SHELL'];

/** What decides the environment of one command. */
export interface EnvironmentSpec {
  readonly env?: Readonly<Record<string, string>>;
  readonly inheritEnv?: readonly string[];
  readonly mark: string;
}

/** The whole environment of a command. Declared variables win over inherited ones, and the mark over both. */
export function commandEnvironment(spec: EnvironmentSpec, ours: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const allowed = spec.inheritEnv ?? INHERITED_VARIABLES;
  const inherited = Object.entries(ours).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && allowed.some((pattern) => covers(pattern, entry[0])),
  );
  return { ...Object.fromEntries(inherited), ...spec.env, [MARK_VARIABLE]: spec.mark };
}

function covers(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
