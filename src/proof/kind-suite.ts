// Owns the contract of custom step kinds, as tests. The test file of a kind calls the suite once, with a workspace in which
// the kind succeeds, and an invalid configuration.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Json } from '../base/json.ts';
import type { CustomKind } from '../definition/custom-kind.ts';
import { COMMON_OUTCOMES } from '../definition/outcome.ts';
import { REGISTRY } from '../kinds/registry.ts';
import { removeFolder } from '../process/remove-folder.ts';
import type { AttemptRequest, AttemptResult } from '../steps/attempt.ts';
import { createAttemptRunner } from '../steps/runner.ts';
import { createAttemptRequest } from './attempt-request.ts';

/** A configuration of the kind, and a function that prepares an empty workspace for it. */
export interface KindCase {
  readonly config: Json;
  readonly arrange?: (cwd: string) => void;
}

/** The cases that the test file of a step kind passes to the suite. */
export interface KindHarness {
  /** The step settles with this outcome: one of its own or a common one. */
  readonly settles: KindCase & { readonly outcome: string };
  /** A configuration that `parse` rejects. */
  readonly refuses: { readonly config: Json };
}

/** Tests that a kind of step fulfils the contract of `defineStepKind`. */
export function describeStepKind(kind: CustomKind, { settles, refuses }: KindHarness): void {
  describe(`kind ${kind.kind}`, () => {
    test('the kind returns an outcome that it declares, and plain output', async () => {
      expect([...COMMON_OUTCOMES, ...kind.outcomes]).toContain(settles.outcome);
      await inWorkspace(kind, settles, async (work) => {
        const result = await work();
        expect(result).toMatchObject({ type: 'settled', outcome: settles.outcome });
        expect(JSON.parse(JSON.stringify(result))).toEqual(result);
      });
    });

    test('the kind rejects an invalid configuration before it does anything, and says why', async () => {
      expect(() => kind.parse(refuses.config)).toThrow(/./);
      await inWorkspace(kind, refuses, async (work) => {
        expect(await work()).toMatchObject({ type: 'errored', error: { code: 'DEFINITION_INVALID', retryable: false } });
      });
    });

    test('the kind does not delay an attempt that is stopped', async () => {
      await inWorkspace(kind, settles, async (work) => {
        expect(await work({ signal: AbortSignal.abort() })).toMatchObject({ type: 'errored', error: { reason: 'timeout' } });
      });
    });

    // A rerun after a crash has the same key, so a kind with `rerun` must end the same way.
    test.runIf(kind.recovery === 'rerun')('the kind ends the same way when it runs again with the same key', async () => {
      await inWorkspace(kind, settles, async (work) => {
        const first = await work();
        expect(await work()).toEqual(first);
      });
    });
  });
}

async function inWorkspace(
  kind: CustomKind,
  { config, arrange }: KindCase,
  body: (work: (over?: Partial<AttemptRequest>) => Promise<AttemptResult>) => Promise<void>,
): Promise<void> {
  const cwd = mkdtempSync(join(tmpdir(), 'pawl-kind-'));
  try {
    arrange?.(cwd);
    const run = createAttemptRunner({ cwd, kinds: { [kind.kind]: kind }, now: () => 0 }, REGISTRY);
    const request = createAttemptRequest({ kind: 'custom', config: { use: kind.kind, with: config, outcomes: [...kind.outcomes] } });
    await body((over = {}) => run({ ...request, ...over }));
  } finally {
    await removeFolder(cwd);
  }
}
