// Owns what a run is given from outside: its trigger, and of the settings only what its workflow reads, so that a change
// of another setting is no change of the run. What its context lacks is told before anything is started.

import { EngineError } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Definition } from '../../definition/model.ts';
import { type FreePath, parseExpression } from '../../expr/expression.ts';
import { parseTemplateTree, renderTemplateTree } from '../../expr/template-tree.ts';
import { FORGE_HINT } from '../forge/session.ts';
import type { Settings } from '../settings/settings.ts';
import type { Trigger } from './trigger.ts';

type Path = FreePath['segments'];

/** What a run is started with beside its parameters. */
export function factsOf(
  definition: Definition,
  { settings, trigger }: { readonly settings: Settings; readonly trigger: Trigger | undefined },
): JsonObject {
  const known = { project: { ...settings.project } };
  const config = readsOf(definition as unknown as Json)
    .filter(([root]) => root === 'config')
    .reduce<JsonObject>((kept, [, ...path]) => keepPath(kept, known, path), {});
  checkContext(definition, { config, trigger, hasForge: settings.forge !== undefined });
  return {
    ...trigger?.facts,
    ...(trigger === undefined ? {} : { $trigger: trigger.payload }),
    ...(Object.keys(config).length === 0 ? {} : { $config: config }),
  };
}

/** Every path that a template or a condition of a definition reads. */
function readsOf(value: Json, key = ''): Path[] {
  if (typeof value === 'string') return textReads(value, key);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, below]) => readsOf(below as Json, Array.isArray(value) ? key : name));
}

function textReads(text: string, key: string): Path[] {
  try {
    if (key === 'condition') return parseExpression(text).paths.map(({ segments }) => segments);
    return text.includes('{{') ? parseTemplateTree(text).paths.map(({ segments }) => segments) : [];
  } catch {
    // Braces in the text of a module need not be a template.
    return [];
  }
}

/** Takes over what lies at a path, with what is around it and nothing beside it. */
function keepPath(kept: JsonObject, from: JsonObject, [head, ...rest]: Path): JsonObject {
  if (head === undefined || head === '*') return from;
  const value = from[head];
  if (value === undefined) return kept;
  const before = kept[head];
  const below = rest.length > 0 && isJsonObject(value) ? keepPath(isJsonObject(before) ? before : {}, value, rest) : value;
  return { ...kept, [head]: below };
}

/** What a run was told by its surroundings. */
interface Told {
  readonly config: JsonObject;
  readonly trigger: Trigger | undefined;
  readonly hasForge: boolean;
}

interface Lacking {
  readonly workflow: string;
  readonly name: string;
  readonly path: Path;
}

/** Refuses a run whose context needs what it was not given. */
function checkContext(definition: Definition, told: Told): void {
  const { config, trigger } = told;
  const scope = { trigger: trigger?.payload ?? {}, config };
  for (const { name, value } of definition.context ?? []) {
    const tree = parseTemplateTree(value);
    const paths = tree.paths.map(({ segments }) => segments);
    // What also reads parameters or other entries is evaluated by the engine alone.
    if (paths.length === 0 || !paths.every(([root]) => root === 'trigger' || root === 'config')) continue;
    try {
      renderTemplateTree(tree, scope);
    } catch (cause) {
      const lacking = paths.find((path) => !has(scope, path));
      if (lacking === undefined) throw cause;
      throw needed({ workflow: definition.name, name, path: lacking }, told);
    }
  }
}

function has(value: Json, path: Path): boolean {
  return path.every((segment) => {
    if (segment === '*' || typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return segment === '*';
    value = (value as JsonObject)[segment] as Json;
    return true;
  });
}

function needed(of: Lacking, { trigger, hasForge }: Pick<Told, 'trigger' | 'hasForge'>): EngineError {
  const reads = `workflow "${of.workflow}" reads ${of.path.join('.')} for "${of.name}" of its context`;
  if (of.path[0] === 'config')
    return new EngineError('CONFIG_INVALID', `${reads}, which is not set; set ${of.path.slice(1).join('.')} in .pawl/config.yaml`);
  const event = '--event NAME --payload @file';
  if (trigger !== undefined && trigger.origin.event === undefined && !hasForge)
    return new EngineError(
      'USAGE',
      `${reads}, and without a forge ${trigger.said} is only a number; ${FORGE_HINT}, or give the whole event: ${event}`,
    );
  if (trigger !== undefined)
    return new EngineError('USAGE', `${reads}, which ${trigger.said} does not tell; give the whole event: ${event}`);
  const short = SHORT[of.path.slice(1).join('.')];
  return new EngineError('USAGE', `${reads}, and this run has no trigger; give ${short === undefined ? event : `${short}, or ${event}`}`);
}

/** What one number tells. */
const SHORT: Readonly<Record<string, string>> = { 'issue.number': '--issue N', 'pull_request.number': '--pr N' };
