// Owns the list of built-in gate checks. A new one is a file beside this and a line below.

import type { GateCheck } from './check.ts';
import { commandCheck } from './command-check.ts';
import { fileExistsCheck } from './file-exists-check.ts';

/** The built-in checks, by name. */
export const BUILT_IN_CHECKS: Readonly<Record<string, GateCheck>> = Object.freeze({
  [commandCheck.name]: commandCheck,
  [fileExistsCheck.name]: fileExistsCheck,
});
