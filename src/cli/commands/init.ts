// `pawl init`: writes a first workflow that runs unchanged, settings, and type information for an editor; with --claude, --codex,
// --gemini or --opencode, the setup of that program; with --template, a complete workflow for a forge. Existing files are not
// changed.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, parse, relative } from 'node:path';
import { omitUndefined } from '../../base/fields.ts';
import { AGENT_PROGRAMS } from '../agent-setup/programs.ts';
import { type CommandRun, type ParsedArgs, usageError } from '../command.ts';
import { fileLines, filesJson, writeAll } from '../init/files.ts';
import type { TemplateName } from '../init/template.ts';
import { packageRoot } from '../package.ts';
import { findProject, type Project } from '../project.ts';
import type { Shell } from '../shell.ts';
import { trustContent } from '../trust/trust-list.ts';

const NAME_DEFAULT = 'notes';
const NAME_FORM = /^[a-z0-9][a-z0-9_-]{0,63}$/i;

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  if (!AGENT_PROGRAMS.some((program) => args.has(program))) return initWorkflow(shell, args);
  return (await import('../init/agents.ts')).initAgents(shell, args);
};

async function initWorkflow(shell: Shell, args: ParsedArgs): Promise<number> {
  if (args.option('template') !== undefined) return initFromTemplate(shell, args);
  if (args.has('github-actions')) return (await import('../init/template.ts')).initActions(shell, args, findProject(shell, args));
  if (args.option('repo') !== undefined) throw usageError('--repo needs --template, such as --template bug-fix');
  const name = nameOf(args);
  const form = formOf(args);
  const project = findProject(shell, args);
  const home = project.home ?? join(project.root, '.pawl');
  const workflow = join(home, 'workflows', `${name}.${form}`);
  const files = new Map([[workflow, workflowText(workflow, form)], ...settingsFiles(home, project, form)]);
  const { written, left } = writeAll(files, args);
  if (written.includes(workflow) && !args.has('dry-run')) await trustContent(shell, workflow);
  return shell.result({ project: project.root, workflow: { name, file: workflow }, ...filesJson(args, { written, left }) }, () => [
    ...fileLines(shell, args, { written, left }),
    '',
    `Next:  ${shell.style('cyan', `${shell.program} run ${name}`)}`,
  ]);
}

async function initFromTemplate(shell: Shell, args: ParsedArgs): Promise<number> {
  if (args.has('js') || args.has('yaml')) throw usageError('--template writes YAML; remove --js and --yaml');
  const { initTemplate } = await import('../init/template.ts');
  const template = args.option('template') as TemplateName;
  const project = findProject(shell, args);
  const home = project.home ?? join(project.root, '.pawl');
  const name = nameOf(args, template);
  return initTemplate(shell, args, { template, name, home, project, file: join(home, 'workflows', `${name}.yaml`) });
}

function nameOf(args: ParsedArgs, standard = NAME_DEFAULT): string {
  const name = args.maybe('NAME') ?? standard;
  if (NAME_FORM.test(name)) return name;
  throw usageError(`"${name}" is not a valid workflow name; use at most 64 letters, digits, "-" and "_"`);
}

type Form = 'ts' | 'js' | 'yaml';

function formOf(args: ParsedArgs): Form {
  if (args.has('js') && args.has('yaml')) throw usageError('--js and --yaml cannot be combined; choose one');
  return args.has('yaml') ? 'yaml' : args.has('js') ? 'js' : 'ts';
}

function workflowText(file: string, form: Form): string {
  const { name } = parse(file);
  if (form !== 'yaml') return template('workflow.ts').replace("name: 'NAME'", `name: '${name}'`);
  const home = dirname(dirname(file));
  const schema = relative(dirname(file), schemaFile(home)).replaceAll('\\', '/');
  // Quoted if YAML would read the name as a number or a boolean.
  return template('workflow.yaml')
    .replace('SCHEMA', () => schema)
    .replace('name: NAME', `name: ${/^[a-z][a-z_-]*$/i.test(name) && !YAML_WORDS.test(name) ? name : JSON.stringify(name)}`);
}

/** The schema for editors: from the package in the project, so that both have the same version, else a copy next to the settings. */
function schemaFile(home: string): string {
  const installed = join(dirname(home), 'node_modules', 'pawl', ...SCHEMA);
  return existsSync(installed) ? installed : join(home, 'workflow.schema.json');
}

const SCHEMA = ['schema', 'pawl-workflow.schema.json'];

/** The files besides workflows that `pawl init` can write, with their text. */
export function initialFiles(home: string, project: Project): readonly (readonly [file: string, text: string])[] {
  return [...settingsFiles(home, project, 'ts'), ...settingsFiles(home, project, 'yaml')];
}

/** The text that `pawl init` writes to a workflow file of this name; undefined for other files. */
export function initialWorkflow(file: string): string | undefined {
  const { ext } = parse(file);
  const form = (['ts', 'js', 'yaml'] as const).find((one) => `.${one}` === ext);
  return form === undefined ? undefined : workflowText(file, form);
}

const YAML_WORDS = /^(?:true|false|null|yes|no|on|off)$/i;

function template(name: string): string {
  return readFileSync(join(packageRoot(), 'templates', 'init', name), 'utf8');
}

/** Settings and what an editor needs: the compiler options for a module, the schema for a workflow file. */
function settingsFiles(home: string, project: Project, form: Form): [string, string][] {
  const settings: [string, string] = [join(home, 'config.yaml'), template('config.yaml')];
  if (form === 'yaml') {
    const schema = schemaFile(home);
    const copy: [string, string][] = schema.startsWith(home) ? [[schema, readFileSync(join(packageRoot(), ...SCHEMA), 'utf8')]] : [];
    return [settings, [join(home, '.gitignore'), 'config.local.yaml\n'], ...copy];
  }
  const types = typesFor(project);
  const knowsNode = types?.node !== undefined || hasPackage(project.root, '@types/node');
  return [
    settings,
    [join(home, 'tsconfig.json'), `${JSON.stringify(compilerSettings(types, knowsNode), null, 2)}\n`],
    ...(knowsNode ? [] : [[join(home, 'node.d.ts'), template('node.d.ts')] satisfies [string, string]]),
    [join(home, '.gitignore'), ['config.local.yaml', ...(types === undefined ? [] : ['tsconfig.json']), ''].join('\n')],
  ];
}

/** Types on this machine, for a project that has not installed them. */
interface Types {
  readonly pawl: string;
  readonly node: string | undefined;
}

function typesFor({ root }: Project): Types | undefined {
  const folder = packageRoot();
  const pawl = join(folder, 'dist', 'index.d.ts');
  if (hasPackage(root, 'pawl') || !existsSync(pawl)) return undefined;
  const node = join(folder, 'node_modules', '@types');
  return { pawl, node: !hasPackage(root, '@types/node') && existsSync(join(node, 'node')) ? node : undefined };
}

function hasPackage(root: string, name: string): boolean {
  const paths = createRequire(join(root, 'package.json')).resolve.paths(name) ?? [];
  return paths.some((folder) => existsSync(join(folder, name, 'package.json')));
}

function pathsOf(index: string): Readonly<Record<string, readonly string[]>> {
  const entry = (folder: string): readonly string[] => [join(dirname(index), folder, 'index.d.ts')];
  return {
    pawl: [index],
    'pawl/compat': entry('compat'),
    'pawl/safe-db': entry('safe-db'),
    'pawl/skills': entry('skills'),
    'pawl/testing': entry('proof'),
  };
}

function compilerSettings(types: Types | undefined, knowsNode: boolean): object {
  return {
    compilerOptions: {
      target: 'es2024',
      module: 'esnext',
      moduleResolution: 'bundler',
      strict: true,
      noEmit: true,
      allowJs: true,
      checkJs: true,
      allowImportingTsExtensions: true,
      erasableSyntaxOnly: true,
      skipLibCheck: true,
      types: knowsNode ? ['node'] : [],
      ...omitUndefined({ paths: types && pathsOf(types.pawl), typeRoots: types?.node && [types.node] }),
    },
    include: ['workflows', 'skills', ...(knowsNode ? [] : ['node.d.ts'])],
  };
}
