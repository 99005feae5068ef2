// Owns the demo project: a few files with a bug, a workflow, and a git history if git is installed. The files come from
// `templates/demo`.

import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemCodeOf } from '../../base/error.ts';
import { usageError } from '../command.ts';
import { packageRoot } from '../package.ts';

const execute = promisify(execFile);

/** The demo project. */
export interface DemoProject {
  readonly root: string;
  /** Its `.pawl` folder, with the workflow and the database. */
  readonly home: string;
  readonly workflow: string;
  readonly database: string;
  /** False if git is not installed; then the demo skips the commit. */
  readonly hasGit: boolean;
}

/** Creates the project in a given empty folder, or in a temporary one. */
export async function createDemoProject(keep: string | undefined): Promise<DemoProject> {
  const folder = keep === undefined ? realpathSync(mkdtempSync(join(tmpdir(), 'pawl-demo-'))) : emptyFolder(keep);
  const root = join(folder, 'shop');
  const home = join(root, '.pawl');
  const workflow = join(home, 'workflows', 'fix-bug.ts');
  const templates = join(packageRoot(), 'templates', 'demo');
  cpSync(join(templates, 'project'), root, { recursive: true });
  cpSync(join(templates, 'workflow.ts'), workflow);
  // The database is inside the project, so that --project is enough to find the runs later.
  writeFileSync(join(home, 'config.yaml'), 'db: .pawl/runs.db\n');
  writeFileSync(join(home, '.gitignore'), 'runs.db*\n');
  return { root, home, workflow, database: join(home, 'runs.db'), hasGit: await commitAll(root) };
}

function emptyFolder(folder: string): string {
  if (existsSync(folder) && readdirSync(folder).length > 0) throw usageError(`--keep: ${folder} is not empty; use a new or empty folder`);
  mkdirSync(folder, { recursive: true });
  return realpathSync(folder);
}

/** The same for every user, so that their hooks and signatures do not affect the demo. */
const GIT_SETTINGS = [
  ['user.name', 'Pawl demo'],
  ['user.email', 'demo@pawl.invalid'],
  ['commit.gpgsign', 'false'],
  ['core.hooksPath', '.git/no-hooks'],
] as const;

async function commitAll(root: string): Promise<boolean> {
  const git = (...words: readonly string[]): Promise<unknown> => execute('git', words, { cwd: root });
  try {
    await git('init', '--quiet', '--template=', '--initial-branch=main');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return false;
    throw error;
  }
  for (const [name, value] of GIT_SETTINGS) await git('config', name, value);
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'A shop with a bug');
  return true;
}
