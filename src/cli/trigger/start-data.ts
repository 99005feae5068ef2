// Owns the data that a run starts with besides its parameters: its trigger, and the settings that its workflow reads. Other
// settings are left out, so that changing them does not change the run. Missing data is an error before the run starts.

import { EngineError } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Definition } from '../../definition/model.ts';
import { parseExpression } from '../../expr/expression.ts';
import type { FreePath } from '../../expr/free-paths.ts';
import { parseTemplateTree, renderTemplateTree } from '../../expr/template-tree.ts';
import { CONFIG, TRIGGER } from '../../steps/run-records.ts';
import { usageError } from '../command.ts';
import { FORGE_HINT } from '../forge/session.ts';
import type { Settings } from '../settings/settings.ts';
import type { Trigger } from './trigger.ts';

type Path = FreePath['segments'];

/** The data that a run starts with besides its parameters. */
export function startDataOf(
  definition: Definition,
  { settings, trigger }: { readonly settings: Settings; readonly trigger: Trigger | undefined },
): JsonObject {
  const known = { project: { ...settings.project } };
  const config = readPaths(definition as unknown as Json)
    .filter(([root]) => root === 'config')
    .reduce<JsonObject>((kept, [, ...path]) => keepPath(kept, known, path), {});
  checkContext(definition, { config, trigger, hasForge: settings.forge !== undefined });
  return {
    ...trigger?.facts,
    ...(trigger === undefined ? {} : TRIGGER.with(trigger.payload)),
    ...(Object.keys(config).length === 0 ? {} : CONFIG.with(config)),
  };
}

/** All paths that templates and conditions of a definition read. */
function readPaths(value: Json, key = ''): Path[] {
  if (typeof value === 'string') return pathsIn(value, key);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, below]) => readPaths(below as Json, Array.isArray(value) ? key : name));
}

function pathsIn(text: string, key: string): Path[] {
  try {
    if (key === 'condition') return parseExpression(text).paths.map(({ segments }) => segments);
    return text.includes('{{') ? parseTemplateTree(text).paths.map(({ segments }) => segments) : [];
  } catch {
    // A text of a module may contain braces without being a template.
    return [];
  }
}

/** Copies the value at a path, without its siblings. */
function keepPath(kept: JsonObject, from: JsonObject, [head, ...rest]: Path): JsonObject {
  if (head === undefined || head === '*') return from;
  const value = from[head];
  if (value === undefined) return kept;
  const before = kept[head];
  const below = rest.length > 0 && isJsonObject(value) ? keepPath(isJsonObject(before) ? before : {}, value, rest) : value;
  return { ...kept, [head]: below };
}

interface StartData {
  readonly config: JsonObject;
  readonly trigger: Trigger | undefined;
  readonly hasForge: boolean;
}

interface MissingPath {
  readonly workflow: string;
  readonly name: string;
  readonly path: Path;
}

/** Throws if the context reads data that is missing. */
function checkContext(definition: Definition, data: StartData): void {
  const { config, trigger } = data;
  const scope = { trigger: trigger?.payload ?? {}, config };
  for (const { name, value } of definition.context ?? []) {
    const tree = parseTemplateTree(value);
    const paths = tree.paths.map(({ segments }) => segments);
    // The engine evaluates entries that also read parameters or other entries.
    if (paths.length === 0 || !paths.every(([root]) => root === 'trigger' || root === 'config')) continue;
    try {
      renderTemplateTree(tree, scope);
    } catch (cause) {
      const missing = paths.find((path) => !hasPath(scope, path));
      if (missing === undefined) throw cause;
      throw missingData({ workflow: definition.name, name, path: missing }, data);
    }
  }
}

function hasPath(value: Json, path: Path): boolean {
  return path.every((segment) => {
    if (segment === '*' || typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return segment === '*';
    value = (value as JsonObject)[segment] as Json;
    return true;
  });
}

function missingData(of: MissingPath, { trigger, hasForge }: Pick<StartData, 'trigger' | 'hasForge'>): EngineError {
  const reads = `the context entry "${of.name}" of workflow "${of.workflow}" reads ${of.path.join('.')}`;
  if (of.path[0] === 'config')
    return new EngineError('CONFIG_INVALID', `${reads}, which is not set; set ${of.path.slice(1).join('.')} in .pawl/config.yaml`);
  const event = '--event NAME --payload @file';
  if (trigger !== undefined && trigger.origin.event === undefined && !hasForge)
    return usageError(
      `${reads}, but without a forge only the number of ${trigger.option} is known; ${FORGE_HINT}, or pass the whole event: ${event}`,
    );
  if (trigger !== undefined) return usageError(`${reads}, which ${trigger.option} does not contain; pass the whole event: ${event}`);
  const short = NUMBER_OPTIONS[of.path.slice(1).join('.')];
  return usageError(`${reads}, but this run has no trigger; use ${short === undefined ? event : `${short}, or ${event}`}`);
}

const NUMBER_OPTIONS: Readonly<Record<string, string>> = { 'issue.number': '--issue N', 'pull_request.number': '--pr N' };
