import { expect, test } from 'vitest';
import { valueIn } from '../../src/proof/forge-suite/stage.ts';
import { openGitHubStage } from './stage.ts';

test('every commit status of a head is read, however many there are', async () => {
  const stage = await openGitHubStage();
  try {
    const sha = (await stage.repository.git('rev-parse', 'HEAD')).trim();
    const contexts = Array.from({ length: 205 }, (_, n) => `status ${String(n).padStart(3, '0')}`);
    stage.hub.state.statuses.push(...contexts.map((context) => ({ sha, context, state: 'success', description: null })));
    const checks = valueIn(await stage.forge.checks(sha));
    expect(checks.map(({ name }) => name)).toEqual(contexts);
  } finally {
    await stage.close();
  }
});
