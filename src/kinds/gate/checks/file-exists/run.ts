// Runs the check `file_exists`: files must exist inside the workspace.

import { realpath } from 'node:fs/promises';
import type { CheckOf } from '../../../../definition/check.ts';
import { type CheckContext, type CheckVerdict, notRunVerdict } from '../../../../steps/check.ts';
import { locateInWorkspace } from '../../../../steps/workspace/workspace-path.ts';

/** `{ paths }`: passes when all of them exist. Paths outside the workspace are rejected. */
export async function run(config: CheckOf<'file_exists'>, { cwd }: CheckContext): Promise<CheckVerdict> {
  const { paths } = config;
  const root = await realpath(cwd);
  const missing: string[] = [];
  for (const path of paths) {
    const { kind } = await locateInWorkspace(root, path);
    if (kind === 'outside') return notRunVerdict(`"${path}" leads out of the workspace; name a path inside it`, { path });
    if (kind === 'missing') missing.push(path);
  }
  if (missing.length === 0) return { passed: true, result: { missing } };
  return { passed: false, result: { missing }, error: `missing: ${missing.join(', ')}` };
}
