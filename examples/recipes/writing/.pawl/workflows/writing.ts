// An agent drafts, a person comments, the agent reworks: until the person publishes, three rounds at most.

import { arg, step, workflow } from 'pawl';

export default workflow(
  'writing',
  { title: 'Write with comments', params: { topic: arg({ type: 'string', required: true }) } },
  function* ({ topic }) {
    for (let round = 1; ; round += 1) {
      if (round > 3) throw new Error('three rounds were not enough');
      // What the person wrote in the round before is part of this agent's instructions; nothing has to be passed on.
      yield* step(`write-${round}`).agent({
        agent: 'writer',
        prompt: `Write TEXT.md about ${topic}: three sentences at most.`,
        outputs: [{ name: 'text', type: 'artifact', pattern: 'TEXT.md', required: true }],
        fresh: 'activation',
      });
      yield* step(`length-${round}`).gate({ checks: ['test $(wc -w < TEXT.md) -le 30'] });
      const { option } = yield* step(`read-${round}`).human({
        prompt: 'Publish TEXT.md?',
        subjects: { files: ['TEXT.md'] },
        options: ['publish', { label: 'rework', requiresInput: true }, 'reject'],
      });
      if (option === 'publish') break;
    }
    yield* step('publish').command('cp TEXT.md PUBLISHED.md').recovery('rerun');
  },
);
