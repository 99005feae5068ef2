// `pawl init --template`: writes one of the workflows that come with Pawl, its roles, settings for a forge, and a script that plays
// the agents, so that it can be tried immediately. Existing files are not changed.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isJsonObject, type Json } from '../../base/json.ts';
import { type ParsedArgs, usageError } from '../command.ts';
import { packageRoot, versionOf } from '../package.ts';
import type { Project } from '../project.ts';
import { tryRight } from '../right.ts';
import type { Shell } from '../shell.ts';
import { trustContent } from '../trust/trust-list.ts';
import { fileLines, filesJson, type InitFiles, writeAll } from './files.ts';

/** The templates, and how each is started on a local forge. */
export const TEMPLATES = {
  'review-pipeline': { event: 'pr', label: [] },
  'feature-development': { event: 'issue', label: ['feature'] },
  'bug-fix': { event: 'issue', label: ['bug'] },
  'security-sensitive': { event: 'issue', label: ['feature', 'security'] },
  custom: { event: 'issue', label: ['pawl'] },
} as const;

/** The name of a template. */
export type TemplateName = keyof typeof TEMPLATES;

const ROLES = ['developer', 'reviewer', 'security-reviewer', 'test-reviewer'];
const REPOSITORY = /^([A-Za-z0-9][A-Za-z0-9-]*)\/[\w.-]+$/;

/** Writes the files of a template. */
export async function initTemplate(shell: Shell, args: ParsedArgs, at: TemplateTarget): Promise<number> {
  const repository = repositoryOf(args);
  const files = new Map([...templateFiles(shell, { ...at, repository }), ...(args.has('github-actions') ? [actionsFile(at.project)] : [])]);
  const { written, left } = writeAll(files, args);
  if (!args.has('dry-run')) await trustWritten(shell, written);
  const config = join(at.home, 'config.yaml');
  const missingSettings = left.includes(config) ? files.get(config) : undefined;
  const json = { project: at.project.root, template: at.template, workflow: { name: at.name, file: at.file } };
  return shell.result({ ...json, ...filesJson(args, { written, left }) }, () =>
    linesOf(shell, args, { ...at, repository, written, left, missingSettings }),
  );
}

interface TemplateTarget {
  readonly template: TemplateName;
  readonly name: string;
  readonly file: string;
  readonly home: string;
  readonly project: Project;
}

/** The file for GitHub Actions, pinned to this version. */
export function actionsFile(project: Project): [string, string] {
  const text = readFileSync(join(packageRoot(), 'templates', 'github-actions', 'pawl.yml'), 'utf8');
  return [join(project.root, '.github', 'workflows', 'pawl.yml'), text.replace('VERSION', versionOf())];
}

/** Writes the file for GitHub Actions alone. */
export function initActions(shell: Shell, args: ParsedArgs, project: Project): number {
  const { written, left } = writeAll(new Map([actionsFile(project)]), args);
  return shell.result({ project: project.root, ...filesJson(args, { written, left }) }, () => [
    ...fileLines(shell, args, { written, left }),
    '',
    ...ACTIONS_STEPS.map((line, index) => `${index === 0 ? 'Next:  ' : '       '}${line}`),
  ]);
}

const ACTIONS_STEPS = [
  'commit the file to the default branch, with .pawl/config.yaml that has "forge: { kind: github, repository: owner/name }"',
  'at GitHub: Settings, Actions, General, "Allow GitHub Actions to create and approve pull requests"',
];

/** Trusts the written files. Settings and roles name programs and people, so trusting them needs the right to trust. */
async function trustWritten(shell: Shell, written: readonly string[]): Promise<void> {
  const right = await tryRight(shell, { demand: 'trust', on: 'pawl init --template' });
  const files = written.filter((file) => /\.ya?ml$|\.md$/.test(file) && !file.includes('.github'));
  for (const file of files) if (right !== undefined || /[\\/]workflows[\\/]/.test(file)) await trustContent(shell, file);
}

/** The repository at GitHub that the settings are for. */
export function repositoryOf(args: ParsedArgs): string | undefined {
  const repository = args.option('repo');
  if (repository === undefined && args.has('github-actions'))
    throw usageError('--github-actions with --template needs the repository: --repo owner/name');
  if (repository === undefined || REPOSITORY.test(repository)) return repository;
  throw usageError(`--repo must be owner/name at GitHub, such as octo/project, not "${repository}"`);
}

function templateFiles(shell: Shell, { template, name, file, home, project, repository }: ChosenTemplate): [string, string][] {
  const { command, tests } = testsOf(project.root);
  const workflow = archetype('workflows', `${template}.yaml`)
    .replace('name: NAME', () => `name: ${JSON.stringify(name)}`)
    .replaceAll('VERIFY', () => JSON.stringify(command))
    .replaceAll('"TESTS"', () => JSON.stringify(tests));
  const person = repository?.split('/')[0] ?? shell.account;
  const config = archetype('config.yaml')
    .replace('FORGE', () => forgeText(repository))
    .replace('BRANCH', () => JSON.stringify(branchOf(project.root)))
    .replaceAll('PERSON', () => JSON.stringify(person));
  return [
    [file, workflow],
    [join(home, 'config.yaml'), config],
    ...ROLES.map((role): [string, string] => [join(home, 'agents', `${role}.md`), archetype('agents', `${role}.md`)]),
    [join(home, 'stand-in.mjs'), archetype('stand-in.mjs')],
    [join(home, '.gitignore'), 'config.local.yaml\n'],
  ];
}

function archetype(...path: string[]): string {
  return readFileSync(join(packageRoot(), 'templates', 'archetypes', ...path), 'utf8');
}

function forgeText(repository: string | undefined): string {
  if (repository === undefined)
    return '# Issues, pull requests and reviews on this machine. For GitHub: forge: { kind: github, repository: owner/name }\nforge:\n  kind: local\n';
  return `# The login is that of the program gh. Other ways: docs/guides/github.md of the package.\nforge:\n  kind: github\n  repository: ${repository}\n`;
}

/** The command that runs the tests of a project, and the pattern of test files; for a project without tests, those of the script. */
function testsOf(root: string): { readonly command: string; readonly tests: string } {
  const has = (name: string): boolean => existsSync(join(root, name));
  const tests = '**/*test*';
  if (hasTestScript(root)) return { command: has('package-lock.json') ? 'npm ci && npm test' : 'npm install && npm test', tests };
  if (['pyproject.toml', 'pytest.ini', 'setup.py'].some(has)) return { command: 'pytest', tests };
  if (has('Cargo.toml')) return { command: 'cargo test', tests };
  if (has('go.mod')) return { command: 'go test ./...', tests };
  return { command: 'node --test', tests };
}

function hasTestScript(root: string): boolean {
  try {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts?: Json };
    const script = isJsonObject(scripts) ? scripts.test : undefined;
    // The script that "npm init" writes always fails.
    return typeof script === 'string' && !script.includes('no test specified');
  } catch {
    return false;
  }
}

/** The checked-out branch, also before its first commit. */
function branchOf(root: string): string {
  try {
    const found = execFileSync('git', ['-c', 'core.fsmonitor=false', 'symbolic-ref', '--short', 'HEAD'], {
      ...{ cwd: root, encoding: 'utf8' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return found.trim() || 'main';
  } catch {
    return 'main';
  }
}

interface ChosenTemplate extends TemplateTarget {
  readonly repository: string | undefined;
}

interface WrittenTemplate extends ChosenTemplate, InitFiles {
  /** Settings that the person has to add to an existing file. */
  readonly missingSettings: string | undefined;
}

function linesOf(shell: Shell, args: ParsedArgs, templateFiles: WrittenTemplate): string[] {
  const { template, name, home, repository, written, left, missingSettings } = templateFiles;
  const call = shell.program;
  const cyan = (text: string): string => shell.style('cyan', text);
  const config = relative(shell.cwd, join(home, 'config.yaml'));
  const settings =
    missingSettings === undefined
      ? []
      : ['', `${config} exists and was not changed. The workflow needs these settings:`, '', ...missingSettings.trimEnd().split('\n')];
  return [
    ...fileLines(shell, args, { written, left }),
    ...settings,
    '',
    '.pawl/stand-in.mjs plays the agents until you set a driver in the settings.',
    `Next:  ${cyan('git add .pawl && git commit -m "Add a workflow"')}`,
    ...(repository === undefined
      ? localSteps(template, name)
      : [`${call} doctor`, args.has('github-actions') ? 'git push' : `${call} serve`]
    ).map((line) => `       ${cyan(line.replace(/^pawl/, call))}`),
  ];
}

function localSteps(template: TemplateName, name: string): string[] {
  const { event, label } = TEMPLATES[template];
  if (event === 'pr') return ['pawl forge pr create --head BRANCH --title "A trial"', `pawl run ${name} --pr 1`];
  return [`pawl forge issue create --title "A trial" ${label.map((one) => `--label ${one}`).join(' ')}`, `pawl run ${name} --issue 1`];
}
