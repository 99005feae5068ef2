// Owns the one spelling of checks, programs and requests.

import { unreachable } from '../../../base/invariant.ts';
import type { Json, JsonObject } from '../../../base/json.ts';
import type { YamlPath } from '../position/position.ts';
import { isBuiltIn, type WrittenCheck } from '../schema/check.ts';
import type { YamlCheck, YamlProgram, YamlRequest } from './document.ts';
import { msOf } from './transition.ts';

/** The checks of a gate. */
export function checksOf(written: readonly WrittenCheck[], path: YamlPath): YamlCheck[] {
  return written.map((check, index) => checkOf(check, [...path, index]));
}

function checkOf(written: WrittenCheck, path: YamlPath): YamlCheck {
  const frame = { path, timeoutMs: msOf(written.timeout) };
  if (!isBuiltIn(written)) {
    const { check: name, timeout: _timeout, ...config } = written;
    return { ...frame, check: 'own', name, config: config as JsonObject };
  }
  switch (written.check) {
    case 'command': {
      const { expect, report, tests } = written;
      return { ...frame, check: 'command', program: programOf(written), expect, report, tests };
    }
    case 'file_exists':
      return { ...frame, check: 'file_exists', paths: written.paths };
    case 'pr_approval':
      return { ...frame, check: 'pr_approval', from: listOf(written.from), count: written.count ?? 1 };
    case 'ci_status':
      return { ...frame, check: 'ci_status', workflows: written.workflows ?? [], expect: written.expect ?? 'success' };
    case 'webhook':
      return { ...frame, check: 'webhook', request: requestOf(written), expect: written.expect };
    case 'coverage': {
      const { minimum, metric = 'line', report, paths = [] } = written;
      return { ...frame, check: 'coverage', minimum: Number.parseFloat(String(minimum)), metric, report, paths };
    }
    case 'any_of':
      return { ...frame, check: 'any_of', checks: checksOf(written.conditions, [...path, 'conditions']) };
    default:
      return unreachable(written);
  }
}

interface WrittenProgram {
  readonly run?: string | undefined;
  readonly argv?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly cwd?: string | undefined;
}

/** A program, with all of its variables as texts. */
export function programOf({ run, argv, env = {}, cwd }: WrittenProgram): YamlProgram {
  return { run, argv, env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)])), cwd };
}

interface WrittenRequest {
  readonly url: string;
  readonly method?: YamlRequest['method'] | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
}

/** A request with its method. */
export function requestOf({ url, method, headers = {}, body }: WrittenRequest): YamlRequest {
  return { url, method: method ?? (body === undefined ? 'GET' : 'POST'), headers, body: body as Json | undefined };
}

/** One text or several, as a list. */
export function listOf(written: string | readonly string[] | undefined): readonly string[] {
  return typeof written === 'string' ? [written] : (written ?? []);
}
