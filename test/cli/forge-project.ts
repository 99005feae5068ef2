// Owns a project as a user has it: a git repository with a local forge, programs that stand in for pytest and ruff, and an
// agent that is a small program. Everything is done through the command line.

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git } from '../git.ts';
import { CliRig, type Ended } from './rig.ts';

/** The seed's files, by the names of their workflows. */
const SEED_FILES = {
  'simple-review': 'simple-review.yaml',
  'bug-fix-workflow': 'bug-fix.yaml',
  'security-feature': 'security-feature.yaml',
  'feature-development': 'feature-development.yaml',
};

/** What a run tells of itself as JSON. */
export interface ToldRun {
  readonly run: { readonly id: string; readonly status: string };
  readonly steps: readonly { readonly path: string; readonly outcome?: string; readonly output?: unknown }[];
  readonly code: number | null;
}

/** A project with a forge. */
export class ForgeProject {
  readonly rig: CliRig = new CliRig();

  /** Makes the project; `agent` is the code that runs for each step, by its id. */
  async open(agent: Readonly<Record<string, string>>, forge = 'forge: { kind: local }'): Promise<void> {
    const { rig } = this;
    rig.settings.PATH = `${join(rig.folder, 'bin')}:${process.env.PATH}`;
    this.writePrograms();
    git(rig.project, 'init', '--quiet', '--initial-branch=main');
    await this.pawl('init');
    for (const [name, file] of Object.entries(SEED_FILES)) rig.write(`.pawl/workflows/${name}.yaml`, seedText(file));
    rig.write('.pawl/config.yaml', `${forge}\n${CONFIG}`);
    rig.write('.pawl/agent.mjs', agentText(agent));
    rig.write('.gitignore', 'coverage.xml\n');
    rig.write('src/old.py', 'def old():\n    return 1\n');
    rig.write('tests/test_old.py', 'def test_old():\n    assert old()\n');
    this.git('add', '--all');
    this.git('commit', '--quiet', '-m', 'begin');
    await this.pawl('trust', '--folder', '--yes');
  }

  /** Runs a command that must succeed. */
  async pawl(...words: string[]): Promise<Ended> {
    const ended = await this.rig.run(words);
    if (ended.code !== 0) throw new Error(`pawl ${words.join(' ')} ended with ${ended.code}: ${ended.stderr}${ended.stdout}`);
    return ended;
  }

  /** Runs a command with --json. */
  json<T>(...words: string[]): Promise<T & { readonly code: number | null }> {
    return this.rig.json<T>(words);
  }

  /** Does something at the forge as a person at a terminal. */
  async person(...words: string[]): Promise<void> {
    const terminal = this.rig.terminal(['forge', ...words]);
    if ((await terminal.ended) !== 0) throw new Error(terminal.text());
  }

  git(...words: string[]): string {
    return git(this.rig.project, ...words);
  }

  /** The text of a file at the head of a branch. */
  at(branch: string, path: string): string {
    return git(this.rig.project, 'show', `${branch}:${path}`);
  }

  close(): Promise<void> {
    return this.rig.close();
  }

  private writePrograms(): void {
    const bin = join(this.rig.folder, 'bin');
    mkdirSync(bin);
    for (const [name, text] of Object.entries({ pytest: PYTEST, ruff: '#!/bin/sh\necho "All checks passed!"\n' })) {
      writeFileSync(join(bin, name), text);
      chmodSync(join(bin, name), 0o755);
    }
  }
}

/** The text of one of the seed's files, byte for byte. */
export function seedText(file: string): string {
  return readFileSync(join(import.meta.dirname, '..', 'seeds', '002', file), 'utf8');
}

const ROLES = ['feat-dev', 'docs-dev', 'bug-fix', 'pr-review', 'test-coverage', 'security-review', 'merge-conflict'];
const CONFIG = `project: { default_branch: main }
groups: { maintainers: [ann], security-team: [sue] }
roles:
${ROLES.map((role) => `  ${role}: { driver: command, argv: [node, .pawl/agent.mjs] }`).join('\n')}
`;

/** A program that does what its step says; what the code leaves in `output` and `verdict` is its answer. */
function agentText(steps: Readonly<Record<string, string>>): string {
  const cases = Object.entries(steps).map(([step, code]) => `case ${JSON.stringify(step)}: { ${code}; break; }`);
  return `import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
const prompt = readFileSync(0, 'utf8');
const write = (path, text) => { mkdirSync(path.split('/').slice(0, -1).join('/') || '.', { recursive: true }); writeFileSync(path, text); };
let output = {};
let verdict;
switch (process.env.PAWL_STEP) {
${cases.join('\n')}
}
console.log(JSON.stringify({ success: true, output, ...(verdict === undefined ? {} : { verdict }) }));
`;
}

// A test is a line that asserts something of a function; it passes when a file of src defines that function.
const PYTEST = `#!/bin/sh
for name in $(sed -n 's/^    assert \\([a-z_]*\\)(.*/\\1/p' tests/*.py); do
  grep -q "^def $name(" -r src || { echo "FAILED - NameError: $name"; echo "=== 1 failed in 0.01s ==="; exit 1; }
done
echo '<coverage><packages><package name="src"><classes><class name="s" filename="src/old.py"><lines><line number="1" hits="1"/></lines></class></classes></package></packages></coverage>' > coverage.xml
echo "=== 2 passed in 0.01s ==="
`;
