// Owns the contract of gate checks, as tests. The test file of a check calls the suite once, with a workspace in which the
// check passes, one in which it fails, and one in which it cannot decide.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../base/json.ts';
import { REGISTRY } from '../kinds/registry.ts';
import { removeFolder } from '../process/remove-folder.ts';
import type { AttemptResult } from '../steps/attempt.ts';
import type { GateCheck } from '../steps/check.ts';
import { createAttemptRunner } from '../steps/runner.ts';
import type { StepServices } from '../steps/services.ts';
import { createAttemptRequest } from './attempt-request.ts';

/** A configuration of the check, and a function that prepares an empty workspace for it. */
export interface CheckCase {
  readonly config: JsonObject;
  readonly arrange?: (cwd: string) => void;
  /** The services of a check that reads no files: a forge, and the hosts that it may call. */
  readonly services?: Pick<StepServices, 'forgeFacts' | 'webhooks'>;
}

/** The cases that the test file of a check passes to the suite. */
export interface CheckHarness {
  readonly passes: CheckCase;
  readonly fails: CheckCase;
  /** The check cannot run: something that it needs is missing, or its configuration is invalid. */
  readonly cannotDecide: CheckCase;
}

/** Tests that a gate check fulfils the contract of `GateCheck`, inside a gate. */
export function describeCheck(check: GateCheck, harness: CheckHarness): void {
  describe(`check ${check.name}`, () => {
    test('a gate passes if its check passes, also when it runs again', async () => {
      await inWorkspace(check, harness.passes, async (runCheck) => {
        for (let time = 0; time < 2; time += 1) expect(await runCheck()).toMatchObject({ outcome: 'ok', checks: [{ passed: true }] });
      });
    });

    test('a gate fails if its check fails, with the reason, also when it runs again', async () => {
      const expected = { outcome: 'fail', checks: [{ type: check.name, passed: false, error: expect.stringMatching(/./) }] };
      await inWorkspace(check, harness.fails, async (runCheck) => {
        for (let time = 0; time < 2; time += 1) expect(await runCheck()).toMatchObject(expected);
      });
    });

    test('a gate neither passes nor fails if its check cannot run, and the check says why', async () => {
      await inWorkspace(check, harness.cannotDecide, async (runCheck) => {
        expect(await runCheck()).toMatchObject({ type: 'errored', checks: [{ passed: null, error: expect.stringMatching(/./) }] });
      });
    });

    // A check that reads no files needs no workspace.
    if (check.readsFiles === false) return;
    test('a missing workspace does not fail the gate', async () => {
      await inWorkspace(check, harness.fails, async (runCheck, cwd) => {
        rmSync(cwd, { recursive: true });
        expect(await runCheck()).toMatchObject({ type: 'errored', checks: [{ passed: null }] });
      });
    });
  });
}

async function inWorkspace(
  check: GateCheck,
  { config, arrange, services }: CheckCase,
  body: (runCheck: () => Promise<AttemptResult>, cwd: string) => Promise<void>,
): Promise<void> {
  const cwd = mkdtempSync(join(tmpdir(), 'pawl-check-'));
  try {
    arrange?.(cwd);
    const run = createAttemptRunner({ cwd, checks: { [check.name]: check }, now: () => 0, ...services }, REGISTRY);
    await body(() => run(createAttemptRequest({ kind: 'gate', config: { checks: [{ check: check.name, ...config }] } })), cwd);
  } finally {
    await removeFolder(cwd);
  }
}
