// Owns the list of built-in gate checks. A new one is a file beside this and a line below.

import { anyOfCheck } from './any-of-check.ts';
import type { GateCheck } from './check.ts';
import { ciStatusCheck } from './ci-status-check.ts';
import { commandCheck } from './command-check.ts';
import { coverageCheck } from './coverage-check.ts';
import { fileExistsCheck } from './file-exists-check.ts';
import { prApprovalCheck } from './pr-approval-check.ts';
import { webhookCheck } from './webhook-check.ts';

const ALL = [commandCheck, fileExistsCheck, coverageCheck, webhookCheck, prApprovalCheck, ciStatusCheck, anyOfCheck];

/** The built-in checks, by name. */
export const BUILT_IN_CHECKS: Readonly<Record<string, GateCheck>> = Object.freeze(
  Object.fromEntries(ALL.map((check) => [check.name, check])),
);
