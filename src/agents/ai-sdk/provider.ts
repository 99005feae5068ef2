// Owns how a model of the AI SDK is found by its name, `provider/model`, in the packages that a project has installed:
// the project chooses the providers and their versions, and nothing of them comes with us.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EngineError } from '../../base/error.ts';
import type { AiModel, AiSdkOptions } from './ai-sdk.ts';

const NAME = /^([a-z0-9][a-z0-9-]*)\/(.+)$/;

/** The models of a project, for the driver `ai-sdk`. */
export function projectModels(root: string): AiSdkOptions {
  return {
    model: (name) => loadModel(root, name),
    load: async () => loadPackage(root, 'ai'),
  };
}

/** The packages that a model needs in the project, by its name. Throws CONFIG_INVALID for what is no such name. */
export function packagesOf(name: string | undefined): readonly string[] {
  return ['ai', `@ai-sdk/${partsOf(name).provider}`];
}

/** Whether a project has installed a package. */
export function hasPackage(root: string, name: string): boolean {
  return pathOf(root, name) !== undefined;
}

function partsOf(name: string | undefined): { readonly provider: string; readonly model: string } {
  const [, provider, model] = NAME.exec(name ?? '') ?? [];
  if (provider !== undefined && model !== undefined) return { provider, model };
  const what = name === undefined ? 'names no model' : `names the model "${name}"`;
  throw new EngineError('CONFIG_INVALID', `a role with the driver "ai-sdk" ${what}; write "model: provider/name", such as openai/gpt-5`);
}

async function loadModel(root: string, name: string | undefined): Promise<AiModel> {
  const { provider, model } = partsOf(name);
  const exported = await loadPackage(root, `@ai-sdk/${provider}`);
  const create = exported[exportName(provider)];
  if (typeof create === 'function') return create(model) as AiModel;
  throw new EngineError(
    'CONFIG_INVALID',
    `the package "@ai-sdk/${provider}" has no provider "${exportName(provider)}" that needs no further settings; make the model in code, with createAiSdkDriver`,
  );
}

// Packages are called like-this, and what they export likeThis.
function exportName(provider: string): string {
  return provider.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

async function loadPackage(root: string, name: string): Promise<Record<string, unknown>> {
  const path = pathOf(root, name);
  if (path === undefined)
    throw new EngineError('CONFIG_INVALID', `the package "${name}" is not installed in ${root}; run "npm install ${name}" there`);
  return (await import(pathToFileURL(path).href)) as Record<string, unknown>;
}

function pathOf(root: string, name: string): string | undefined {
  try {
    return createRequire(join(root, 'package.json')).resolve(name);
  } catch {
    return undefined;
  }
}
