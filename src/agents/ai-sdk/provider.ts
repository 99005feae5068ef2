// Finds a model of the AI SDK by its name, `provider/model`, in the packages that a project has installed, so that
// the project chooses the providers and their versions.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EngineError } from '../../base/error.ts';
import type { AiModel, AiSdkOptions } from './ai-sdk.ts';

const NAME = /^([a-z0-9][a-z0-9-]*)\/(.+)$/;

/** Returns the driver options for a project's models. */
export function projectModels(root: string): AiSdkOptions {
  return {
    model: (name) => loadModel(root, name),
    load: async () => loadPackage(root, 'ai'),
  };
}

/** Returns the packages that a model needs in the project. Throws CONFIG_INVALID if the name is malformed. */
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
  const fault = name === undefined ? 'sets no model' : `sets the model "${name}"`;
  throw new EngineError('CONFIG_INVALID', `a role with the driver "ai-sdk" ${fault}; write "model: provider/name", such as openai/gpt-5`);
}

async function loadModel(root: string, name: string | undefined): Promise<AiModel> {
  const { provider, model } = partsOf(name);
  const exported = await loadPackage(root, `@ai-sdk/${provider}`);
  const create = exported[exportName(provider)];
  if (typeof create === 'function') return create(model) as AiModel;
  throw new EngineError(
    'CONFIG_INVALID',
    `the package "@ai-sdk/${provider}" has no provider "${exportName(provider)}" that works without further settings; create the model in code with createAiSdkDriver`,
  );
}

// Package names are kebab-case, their exports camelCase.
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
