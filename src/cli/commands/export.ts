// `pawl export WORKFLOW`: a workflow as a workflow file.

import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { writeYaml } from '../../authoring/yaml/write/write.ts';
import { EngineError, messageOf } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import type { CommandRun } from '../command.ts';
import { type LoadedWorkflow, loadWorkflow } from '../load.ts';
import { findPlace } from '../session.ts';
import { oneLine } from '../terminal.ts';

/** What a file says around its steps; it is no part of a definition, so it is taken over as it was written. */
const AROUND = ['trigger', 'override_triggers', 'concurrency', 'budget', 'permissions'];

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const { project } = await findPlace(shell, given);
  const loaded = await loadWorkflow(shell, project, given.word('WORKFLOW'));
  const { text, differences } = writeYaml(loaded.workflow, REGISTRY, aroundOf(loaded));
  const file = given.option('out');
  const path = file === undefined ? undefined : resolve(shell.cwd, file);
  if (path !== undefined) writeNew(path, text);
  const result = { workflow: loaded.workflow.definition.name, format: 'yaml', isSame: differences.length === 0, differences };
  if (path !== undefined) shell.result({ ...result, file: path }, () => [`Wrote ${path}`]);
  else if (shell.wantsJson) shell.result({ ...result, text }, () => []);
  else shell.write(text);
  if (differences.length > 0)
    shell.warn(`read as a file, it is not the very same definition; compare: ${differences.map(oneLine).join('; ')}`);
  return 0;
};

function aroundOf({ file, workflow }: LoadedWorkflow): JsonObject {
  if (!/\.ya?ml$/.test(file)) return {};
  const source = parse(readFileSync(file, 'utf8')) as Json;
  // A workflow that was generated from settings lies in no file of its own.
  if (!isJsonObject(source) || !isJsonObject(source.metadata) || source.metadata.name !== workflow.definition.name) return {};
  return Object.fromEntries(AROUND.flatMap((key) => (source[key] === undefined ? [] : [[key, source[key]]])));
}

function writeNew(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx' });
  } catch (cause) {
    const exists = (cause as NodeJS.ErrnoException).code === 'EEXIST';
    const why = exists ? 'it is there already; remove it, or name another' : messageOf(cause);
    throw new EngineError('USAGE', `the workflow could not be written to ${path}: ${why}`, { cause });
  }
}
