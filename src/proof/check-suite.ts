// Owns the contract of gate checks as tests. A check's test file is one call, with a workspace in which it passes, one in
// which it fails, and one in which it cannot decide.

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

/** A configuration of the check, and what to do in an empty workspace so that it finds what it should. */
export interface CheckCase {
  readonly config: JsonObject;
  readonly arrange?: (cwd: string) => void;
  /** What a check that looks elsewhere is connected to: a forge, and the hosts that it may ask. */
  readonly services?: Pick<StepServices, 'forgeFacts' | 'webhooks'>;
}

/** What the tests of a check pass to the suite. */
export interface CheckHarness {
  readonly passes: CheckCase;
  readonly fails: CheckCase;
  /** It cannot look: what it needs is not there, or what it is asked makes no sense. */
  readonly cannotDecide: CheckCase;
}

/** Tests that a gate check fulfils the contract of `GateCheck`, inside a gate. */
export function describeCheck(check: GateCheck, harness: CheckHarness): void {
  describe(`check ${check.name}`, () => {
    test('a gate passes if its check does, and again the second time', async () => {
      await inWorkspace(check, harness.passes, async (look) => {
        for (let time = 0; time < 2; time += 1) expect(await look()).toMatchObject({ outcome: 'ok', checks: [{ passed: true }] });
      });
    });

    test('a fail fails the gate and says why, twice the same', async () => {
      const expected = { outcome: 'fail', checks: [{ type: check.name, passed: false, error: expect.stringMatching(/./) }] };
      await inWorkspace(check, harness.fails, async (look) => {
        for (let time = 0; time < 2; time += 1) expect(await look()).toMatchObject(expected);
      });
    });

    test('when it cannot check, the gate neither passes nor fails, and the check says why', async () => {
      await inWorkspace(check, harness.cannotDecide, async (look) => {
        expect(await look()).toMatchObject({ type: 'errored', checks: [{ passed: null, error: expect.stringMatching(/./) }] });
      });
    });

    // A check that reads no files gives the same verdict without a workspace.
    if (check.readsFiles === false) return;
    test('a missing workspace is not a fail', async () => {
      await inWorkspace(check, harness.fails, async (look, cwd) => {
        rmSync(cwd, { recursive: true });
        expect(await look()).toMatchObject({ type: 'errored', checks: [{ passed: null }] });
      });
    });
  });
}

async function inWorkspace(
  check: GateCheck,
  { config, arrange, services }: CheckCase,
  body: (look: () => Promise<AttemptResult>, cwd: string) => Promise<void>,
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
