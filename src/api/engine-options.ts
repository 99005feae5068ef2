// Owns the names of an engine's options: an option that does not exist is an error, since a limit or a budget that was
// misspelt would not hold.

import { unknownFields } from '../authoring/spec/option.ts';
import { EngineError } from '../base/error.ts';
import type { Budgets } from '../engine/budgets.ts';
import type { Limits } from '../engine/limits.ts';
import type { RoleSetting, WebhookSetting } from '../steps/services.ts';
import type { EngineOptions } from './engine.ts';

const OPTIONS: Record<keyof EngineOptions, true> = {
  db: true,
  store: true,
  workflows: true,
  contexts: true,
  cwd: true,
  roles: true,
  drivers: true,
  checks: true,
  kinds: true,
  commands: true,
  stages: true,
  defaultStages: true,
  env: true,
  inheritEnv: true,
  secrets: true,
  webhooks: true,
  checkTimeoutMs: true,
  protected: true,
  forge: true,
  forgeFacts: true,
  groups: true,
  limits: true,
  budgets: true,
  watchdogs: true,
  worktrees: true,
  repository: true,
  drives: true,
  depthMax: true,
  runsMax: true,
  decisions: true,
  identities: true,
  rights: true,
  patience: true,
  synchronous: true,
  clock: true,
  warn: true,
};
const LIMITS: Record<keyof Limits, true> = { global: true, repository: true, roles: true, credentials: true, keys: true };
const BUDGETS: Record<keyof Budgets, true> = { run: true, day: true };
const WEBHOOKS: Record<keyof WebhookSetting, true> = { allow: true, secretHosts: true };
const ROLE: Record<keyof RoleSetting, true> = {
  driver: true,
  prompt: true,
  model: true,
  credential: true,
  permissions: true,
  budget: true,
  argv: true,
  idleMs: true,
};

/** Throws if there is an option that an engine does not have. */
export function checkEngineOptions(options: EngineOptions): void {
  const check = (what: string, given: object | undefined, known: object): void => {
    const unknown = unknownFields(given ?? {}, Object.keys(known));
    if (unknown.length > 0)
      throw new EngineError('OPTION_INVALID', `${what}: ${unknown.join(', ')}; it takes ${Object.keys(known).join(', ')}`);
  };
  check('createEngine', options, OPTIONS);
  check('createEngine, limits', options.limits, LIMITS);
  check('createEngine, budgets', options.budgets, BUDGETS);
  check('createEngine, webhooks', options.webhooks, WEBHOOKS);
  check('createEngine, worktrees', options.worktrees, { folder: true });
  for (const [role, setting] of Object.entries(options.roles ?? {})) check(`createEngine, role "${role}"`, setting, ROLE);
}
