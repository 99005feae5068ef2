// Owns the checks of `pawl doctor` on the projects under `serve.projects`: each must exist, be trusted and have its own
// database, login and webhooks. Each check names its project.

import { failureOf, isEngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { assertSettingsTrusted } from '../forge/session.ts';
import { findListedProject, listedRoots } from '../serve/listed-projects.ts';
import type { Setup } from '../session.ts';
import type { Shell } from '../shell.ts';
import { type Check, checkSecrets, okCheck, problem } from './doctor.ts';
import { checkForge } from './forge.ts';
import { checkDatabase } from './store.ts';

/** Checks every listed project, in the order of the list. */
export async function checkProjects(shell: Shell, main: Setup): Promise<Check[]> {
  const checks: Check[] = [];
  const found = [main];
  for (const root of listedRoots(main)) {
    const { setup, checks: own } = await checkListed(shell, root, found);
    if (setup !== undefined) found.push(setup);
    checks.push(...own.map((check) => inProject(check, root)));
  }
  return checks;
}

interface CheckedProject {
  readonly checks: readonly Check[];
  readonly setup?: Setup;
}

async function checkListed(shell: Shell, root: string, others: readonly Setup[]): Promise<CheckedProject> {
  try {
    const setup = await findListedProject(shell, root, others);
    const listed = okCheck('project', `served together with ${others[0]?.project.root}`);
    const untrusted = await trustProblem(shell, setup);
    const address = others[0]?.settings.serve?.public_url;
    const forge = untrusted === undefined ? await checkForge(shell, setup, address) : [untrusted];
    return { setup, checks: [listed, ...checkSecrets(setup), ...forge, ...(await checkDatabase(shell, setup))] };
  } catch (error) {
    if (!isEngineError(error)) throw error;
    return { checks: [problem('project', error.message, 'correct it, or "serve.projects"; until then "pawl serve" does not start')] };
  }
}

async function trustProblem(shell: Shell, setup: Setup): Promise<Check | undefined> {
  if ((await failureOf(() => assertSettingsTrusted(shell, setup))) === undefined) return undefined;
  const what = 'its settings are not trusted, so "pawl serve" does not start and its forge was not checked';
  return problem('trust', what, 'run "pawl trust .pawl/config.yaml", then this again');
}

function inProject(check: Check, project: string): Check {
  const { what, hint } = check;
  return { ...check, project, what: `${project}: ${what}`, ...omitUndefined({ hint: hint && `in ${project}: ${hint}` }) };
}
