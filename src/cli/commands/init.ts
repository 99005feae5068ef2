// `pawl init`: a first workflow that runs as it is, settings, and what an editor needs to know the types. Nothing that
// is there is written over.

import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { EngineError, messageOf } from '../../base/error.ts';
import { callOf } from '../caller.ts';
import type { CommandRun, Given } from '../command.ts';
import { packageRoot } from '../package.ts';
import { findProject, type Project } from '../project.ts';
import { trustContent } from '../trust.ts';

const NAME_DEFAULT = 'notes';
const NAME_FORM = /^[a-z0-9][a-z0-9_-]{0,63}$/i;

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const name = nameOf(given);
  const form = formOf(given);
  const project = findProject(shell, given);
  const home = project.home ?? join(project.root, '.pawl');
  const workflow = join(home, 'workflows', `${name}.${form}`);
  const files = new Map([[workflow, workflowText(name, form)], ...settingsFiles(home, form === 'yaml' ? undefined : project)]);
  const written = [...files].filter(([file, text]) => writeNew(file, text)).map(([file]) => file);
  if (written.includes(workflow)) await trustContent(shell, workflow);
  const left = [...files.keys()].filter((file) => !written.includes(file));
  const show = (file: string): string => relative(shell.cwd, file) || '.';
  shell.result({ project: project.root, workflow: { name, file: workflow }, written, left }, () => [
    ...written.map((file) => `${shell.style('green', 'wrote')}       ${show(file)}`),
    ...left.map((file) => `${shell.style('dim', 'left alone')}  ${show(file)}`),
    '',
    `Next:  ${shell.style('cyan', `${callOf(shell)} run ${name}`)}`,
  ]);
  return 0;
};

function nameOf(given: Given): string {
  const name = given.maybe('NAME') ?? NAME_DEFAULT;
  if (NAME_FORM.test(name)) return name;
  throw new EngineError('USAGE', `a workflow cannot be called "${name}": use letters, digits, "-" and "_", at most 64 of them`);
}

type Form = 'ts' | 'js' | 'yaml';

function formOf(given: Given): Form {
  if (given.has('js') && given.has('yaml'))
    throw new EngineError('USAGE', 'a workflow is written in one form: give --js or --yaml, not both');
  return given.has('yaml') ? 'yaml' : given.has('js') ? 'js' : 'ts';
}

function workflowText(name: string, form: Form): string {
  if (form !== 'yaml') return template('workflow.ts').replace("name: 'NAME'", `name: '${name}'`);
  const schema = join(packageRoot(), 'schema', 'pawl-workflow.schema.json');
  // In quotes where YAML would read the name as a number, or as true or false.
  return template('workflow.yaml')
    .replace('SCHEMA', () => schema)
    .replace('name: NAME', `name: ${/^[a-z][a-z_-]*$/i.test(name) && !WORDS.test(name) ? name : JSON.stringify(name)}`);
}

const WORDS = /^(?:true|false|null|yes|no|on|off)$/i;

function template(name: string): string {
  return readFileSync(join(packageRoot(), 'templates', 'init', name), 'utf8');
}

/** Settings and, for a workflow in a module, the compiler's options for an editor. */
function settingsFiles(home: string, project: Project | undefined): [string, string][] {
  const settings: [string, string] = [join(home, 'config.yaml'), template('config.yaml')];
  if (project === undefined) return [settings, [join(home, '.gitignore'), 'config.local.yaml\n']];
  const types = typesFor(project);
  return [
    settings,
    [join(home, 'tsconfig.json'), `${JSON.stringify(compilerSettings(types), null, 2)}\n`],
    [join(home, '.gitignore'), ['config.local.yaml', ...(types === undefined ? [] : ['tsconfig.json']), ''].join('\n')],
  ];
}

/** Where types lie on this machine that are not among the project's own packages. */
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

function compilerSettings(types: Types | undefined): object {
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
      types: ['node'],
      ...(types === undefined ? {} : { paths: { pawl: [types.pawl] } }),
      ...(types?.node === undefined ? {} : { typeRoots: [types.node] }),
    },
    include: ['workflows'],
  };
}

/** Writes a file that is not there yet; false when it, or a link of its name, is. */
function writeNew(file: string, text: string): boolean {
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) return false;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { flag: 'wx' });
    return true;
  } catch (error) {
    throw new EngineError('USAGE', `cannot write ${file}: ${messageOf(error)}; what was written before it stays`, { cause: error });
  }
}
