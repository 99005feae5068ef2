// `pawl export WORKFLOW`: writes a workflow as YAML.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { writeYaml } from '../../authoring/yaml/write/write.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { CommandRun } from '../command.ts';
import { type LoadedDescription, loadDescription } from '../load.ts';
import { writeOutput } from '../output-file.ts';
import { findSetup } from '../session.ts';
import { oneLine } from '../terminal.ts';

/** Fields of a file outside the definition, which are copied unchanged. */
const FILE_FIELDS = ['trigger', 'override_triggers', 'concurrency', 'budget', 'permissions'];

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const { project } = await findSetup(shell, args);
  const loaded = await loadDescription(shell, project, args.word('WORKFLOW'));
  const { text, differences } = writeYaml(loaded.workflow, loaded.registry, fileFieldsOf(loaded));
  const file = args.option('out');
  const path = file === undefined ? undefined : resolve(shell.cwd, file);
  if (path !== undefined) writeOutput(path, text, { label: 'the workflow', isNew: true });
  const result = { workflow: loaded.workflow.definition.name, format: 'yaml', isSame: differences.length === 0, differences };
  if (path !== undefined) shell.result({ ...result, file: path }, () => [`Wrote ${path}`]);
  else if (shell.wantsJson) shell.result({ ...result, text }, () => []);
  else shell.write(text);
  if (differences.length > 0)
    shell.warn(
      `the exported file does not read back as the same definition; it differs in: ${differences.map(oneLine).join('; ')}${effectsOf(differences)}`,
    );
  return 0;
};

const EFFECTS: Readonly<Record<string, string>> = {
  facts: 'in a run of a file, the data includes values from the forge, such as issue_number',
  next: 'a file also has transitions for outcomes that this workflow leaves out',
  merges: 'in a file, the result of a step is only in {{ outputs.STEP }}, not in the data of the run',
};

function effectsOf(differences: readonly string[]): string {
  const fields = new Set(differences.flatMap((one) => one.replace(/^step ".*": /, '').split(', ')));
  return Object.entries(EFFECTS)
    .flatMap(([field, effect]) => (fields.has(field) ? [`\n  ${field}: ${effect}`] : []))
    .join('');
}

function fileFieldsOf({ file, workflow }: LoadedDescription): JsonObject {
  if (!/\.ya?ml$/.test(file)) return {};
  const source = parse(readFileSync(file, 'utf8')) as Json;
  // A workflow that was generated from settings has no file.
  if (!isJsonObject(source) || !isJsonObject(source.metadata) || source.metadata.name !== workflow.definition.name) return {};
  return Object.fromEntries(FILE_FIELDS.flatMap((key) => (source[key] === undefined ? [] : [[key, source[key]]])));
}
