// Owns the project of the demo: a few files with a bug, a workflow beside them, and a real git history where git is
// installed. The files are those of `templates/demo`.

import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EngineError } from '../../base/error.ts';
import { packageRoot } from '../package.ts';

const execute = promisify(execFile);

/** Where the demo happens. */
export interface DemoProject {
  readonly root: string;
  /** Its `.pawl` folder, with the workflow and the database. */
  readonly home: string;
  readonly workflow: string;
  readonly database: string;
  /** False where git is not installed; the demo then leaves the commit out. */
  readonly hasGit: boolean;
}

/** Makes the project in a new folder: the named one, which must be empty, or a temporary one. */
export async function createDemoProject(keep: string | undefined): Promise<DemoProject> {
  const folder = keep === undefined ? realpathSync(mkdtempSync(join(tmpdir(), 'pawl-demo-'))) : emptyFolder(keep);
  const root = join(folder, 'shop');
  const home = join(root, '.pawl');
  const workflow = join(home, 'workflows', 'fix-bug.ts');
  const templates = join(packageRoot(), 'templates', 'demo');
  cpSync(join(templates, 'project'), root, { recursive: true });
  cpSync(join(templates, 'workflow.ts'), workflow);
  // The runs stay beside the project, so that naming the project is enough to look at them later.
  writeFileSync(join(home, 'config.yaml'), 'db: .pawl/runs.db\n');
  writeFileSync(join(home, '.gitignore'), 'runs.db*\n');
  return { root, home, workflow, database: join(home, 'runs.db'), hasGit: await commitAll(root) };
}

function emptyFolder(folder: string): string {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new EngineError('USAGE', `--keep names ${folder}, which is not empty; the demo writes into a new or empty folder only`);
  mkdirSync(folder, { recursive: true });
  return realpathSync(folder);
}

/** What makes the history the same for everybody: no hooks, no signature, no template of the user. */
const OWN_SETTINGS: readonly (readonly [string, string])[] = [
  ['user.name', 'Pawl demo'],
  ['user.email', 'demo@pawl.invalid'],
  ['commit.gpgsign', 'false'],
  ['core.hooksPath', '.git/no-hooks'],
];

async function commitAll(root: string): Promise<boolean> {
  const git = (...words: readonly string[]): Promise<unknown> => execute('git', words, { cwd: root });
  try {
    await git('init', '--quiet', '--template=', '--initial-branch=main');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  for (const [name, value] of OWN_SETTINGS) await git('config', name, value);
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'A shop with a bug');
  return true;
}
