// `pawl trust`: trusts the current version of workflows, stops trusting them, or lists what is trusted.

import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ModuleGraph } from '../../authoring/discover/imports.ts';
import { EngineError } from '../../base/error.ts';
import { isWithin } from '../../base/inside-folder.ts';
import type { Signature } from '../../base/signature.ts';
import { type CommandRun, type ParsedArgs, usageError } from '../command.ts';
import { confirm } from '../decision/prompt.ts';
import { namedFiles, workflowFiles } from '../definitions.ts';
import { findProject, type Project, realPath, roleFilesOf } from '../project.ts';
import { partFilesOf } from '../project-parts.ts';
import { demandRight } from '../right.ts';
import { filesToTrust } from '../settings/settings.ts';
import type { Shell } from '../shell.ts';
import { skillModules } from '../skills/folders.ts';
import { oneLine } from '../terminal.ts';
import { assertImportsKnown, describeContent, importedFiles } from '../trust/trust.ts';
import {
  changedSince,
  changeTrust,
  readGraph,
  readTrust,
  recordTrust,
  type Trust,
  type TrustedFile,
  trustedFolder,
  trustFolder,
} from '../trust/trust-list.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const project = findProject(shell, args);
  const modes = ['folder', 'revoke', 'list', 'sign'].filter((name) => args.has(name));
  if (modes.length > 1 && !(modes.length === 2 && args.has('revoke') && args.has('folder')))
    throw usageError(`--${modes.join(' and --')} cannot be combined; "pawl trust --help" shows the usage`);
  if (args.has('list')) return list(shell);
  if (args.has('revoke')) return revoke(shell, project, args);
  if (args.has('folder')) return trustProject(shell, project, args);
  if (args.has('sign')) return signFiles(shell, project, args);
  return trustFiles(shell, project, args);
};

async function trustFiles(shell: Shell, project: Project, args: ParsedArgs): Promise<number> {
  const graphs: ModuleGraph[] = [];
  for (const file of await filesToReview(shell, project, args)) graphs.push(await readReviewable(file));
  const { files } = readTrust(shell);
  const fresh = graphs.filter(({ file, digest }) => files[file]?.digest !== digest);
  if (fresh.length > 0) {
    for (const graph of fresh) {
      const before = files[graph.file];
      for (const line of describeContent(shell, graph, before === undefined ? [] : changedSince(before, graph))) shell.print(line);
    }
    await confirmTrust(
      shell,
      args,
      fresh.length === 1 ? 'Trust this version?' : `Trust the current version of these ${fresh.length} files?`,
    );
    for (const graph of fresh) recordTrust(shell, graph);
  }
  const trusted = graphs.map((graph) => ({ file: graph.file, digest: graph.digest, imports: importedFiles(graph) }));
  shell.result({ trusted }, () => trusted.map(({ file }) => `${shell.symbol('done')} trusted: ${shell.shownFile(file)}`));
  return 0;
}

/** Signs the current version of workflows, which may then run wherever the signer's key is enrolled. */
async function signFiles(shell: Shell, project: Project, args: ParsedArgs): Promise<number> {
  const [{ signFor }, { writeSignatures }, { identityFor }] = await Promise.all([
    import('../identity/signing.ts'),
    import('../trust/signature.ts'),
    import('../identity/identity.ts'),
  ]);
  const { name } = identityFor(shell, args);
  const signed: { readonly graph: ModuleGraph; readonly signature: Signature }[] = [];
  for (const file of await filesToReview(shell, project, args)) {
    const graph = await readReviewable(file);
    for (const line of describeContent(shell, graph, [])) shell.print(line);
    signed.push({ graph, signature: await signFor(shell, args, { about: 'trust', digest: graph.digest }) });
  }
  const file = writeSignatures(project, signed);
  const rows = signed.map(({ graph }) => ({ file: graph.file, digest: graph.digest }));
  shell.result({ signed: rows, by: name, file }, () => [
    ...rows.map((row) => `${shell.symbol('done')} signed by ${name}: ${shell.shownFile(row.file)}`),
    `Commit ${shell.shownFile(file)}: this version may run wherever the key of ${name} is enrolled.`,
  ]);
  return 0;
}

async function readReviewable(file: string): Promise<ModuleGraph> {
  const graph = await readGraph(file);
  assertImportsKnown(graph);
  return graph;
}

async function filesToReview(shell: Shell, project: Project, args: ParsedArgs): Promise<string[]> {
  const named = namedFiles(shell, args);
  if (named.length > 0) return named;
  const found = [
    ...(await workflowFiles(project)),
    ...partFilesOf(project),
    ...skillModules(project),
    ...(await filesToTrust(shell, project)),
    ...roleFilesOf(project),
  ];
  if (found.length === 0) throw usageError(`no workflows in ${project.root}; give a file: pawl trust FILE`);
  return found;
}

async function trustProject(shell: Shell, project: Project, args: ParsedArgs): Promise<number> {
  if (args.allWords('FILE').length > 0) throw usageError('--folder trusts the whole project, so it cannot be combined with FILE');
  shell.print(`Every workflow in ${shell.style('bold', oneLine(project.root))} may run from now on, even after changes.`);
  await confirmTrust(shell, args, 'Trust this folder?');
  const folder = trustFolder(shell, project.root);
  shell.result({ folder }, () => [`${shell.symbol('done')} trusted: ${oneLine(folder)}`]);
  return 0;
}

/** Only a person can trust: a terminal asks for confirmation, elsewhere a token is needed. */
async function confirmTrust(shell: Shell, args: ParsedArgs, question: string): Promise<void> {
  await demandRight(shell, { demand: 'trust', on: 'pawl trust' });
  if (args.has('yes')) return;
  if (!shell.isInteractive)
    throw new EngineError(
      'NOT_ALLOWED',
      'this is not an interactive terminal, so it cannot ask for confirmation; add --yes if you have reviewed the files',
    );
  if (!(await confirm(shell, question))) throw new EngineError('NOT_ALLOWED', 'nothing was trusted');
}

function revoke(shell: Shell, project: Project, args: ParsedArgs): number {
  const root = realpathSync(project.root);
  const named = args.allWords('FILE').map((word) => realPath(resolve(shell.cwd, word)) ?? resolve(shell.cwd, word));
  let revoked: readonly string[] = [];
  changeTrust(shell, (trust) => {
    const unknown = named.find((file) => trust.files[file] === undefined);
    if (unknown !== undefined) throw notTrusted(trust, unknown);
    const files = named.length > 0 ? named : args.has('folder') ? [] : Object.keys(trust.files).filter((file) => isWithin(root, file));
    const folders = named.length > 0 ? [] : Object.keys(trust.folders).filter((folder) => isWithin(folder, root));
    revoked = [...folders, ...files];
    return { files: without(trust.files, files), folders: without(trust.folders, folders) };
  });
  shell.list({ revoked }, revoked, {
    none: 'Nothing in this project was trusted.',
    lines: (path) => `no longer trusted: ${shell.shownFile(path)}`,
  });
  return 0;
}

function notTrusted(trust: Trust, file: string): EngineError {
  const folder = trustedFolder(trust, file);
  const why = folder === undefined ? 'is not trusted' : `is trusted with its folder ${folder}; "pawl trust --revoke" revokes that`;
  return usageError(`${file} ${why}; "pawl trust --list" shows what is trusted`);
}

function without<T>(record: Readonly<Record<string, T>>, keys: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}

async function list(shell: Shell): Promise<number> {
  const trust = readTrust(shell);
  const files: { file: string; digest: string; since: string; fits: boolean; changed: string[] }[] = [];
  for (const [file, entry] of Object.entries(trust.files)) {
    const changed = await changes(file, entry);
    files.push({ file, digest: entry.digest, since: entry.since, fits: changed.length === 0, changed });
  }
  const folders = Object.entries(trust.folders).map(([folder, since]) => ({ folder, since }));
  shell.result({ folders, files }, () => {
    if (folders.length + files.length === 0) return ['Nothing is trusted.'];
    return [
      ...folders.map(({ folder }) => `${shell.symbol('done')} ${oneLine(folder)}  everything in this folder`),
      ...files.map(({ file, fits, changed }) =>
        fits
          ? `${shell.symbol('done')} ${shell.shownFile(file)}`
          : `${shell.symbol('waiting')} ${shell.shownFile(file)}  changed since: ${changed.map(oneLine).join(', ')}`,
      ),
    ];
  });
  return 0;
}

async function changes(file: string, entry: TrustedFile): Promise<string[]> {
  return existsSync(file) ? changedSince(entry, await readGraph(file)) : [file];
}
