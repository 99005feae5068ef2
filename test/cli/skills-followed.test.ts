// Short skills of the catalogue, carried through from first to last step by an agent that reads what Pawl prints, on a real
// small project. What it did and what it left behind is in examples/skills.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { FollowedSkill } from './followed-skill.ts';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

const LOG = "printf '2026-03-02 1h30 writing\\n2026-03-02 45m  mail\\n' > ../work.log";

test('codebase-analysis: a question about the project is answered with quotes, in two visits of the investigation', async () => {
  const followed = new FollowedSkill(rig, 'codebase-analysis', {
    'codebase-analysis/survey': ({ sh }) => {
      expect(sh('npm test').printed).toContain('tests 11');
      return undefined;
    },
    'codebase-analysis/investigate': ({ round, sh }) => {
      if (round === 1) return { confidence: 'medium' };
      sh(`${LOG}; echo '2026-03-04 soon mail' >> ../work.log`);
      expect(sh('node src/cli.js ../work.log')).toEqual({ status: 1, printed: 'tally: line 3: "soon" is not a duration\n' });
      return { confidence: 'high' };
    },
  });
  const question = 'What happens to a line of the log that cannot be read?';
  await followed.follow(['run', 'codebase-analysis', '--attended', '-p', `question=${question}`], { forgetsAfter: 2 });
  expect(await followed.goOn()).toMatch(/is completed/);
  followed.expectAsShown();
});

test('doc-sync: what the documents get wrong is found, fixed, and checked by an agent that did none of it', async () => {
  const followed = new FollowedSkill(rig, 'doc-sync', {
    'doc-sync/inventory': ({ sh }) => void sh("git ls-files '*.md'"),
    'doc-sync/compare': ({ sh }) => {
      sh(LOG);
      expect(sh('node src/cli.js ../work.log --json').status).toBe(2);
      return undefined;
    },
    'doc-sync/fix': ({ write, thought, sh }) => {
      for (const path of ['README.md', 'docs/format.md']) write(path, thought(path));
      expect(sh('node src/cli.js ../work.log --format json').status).toBe(0);
      expect(sh('TALLY_FILE=../work.log node src/cli.js').status).toBe(0);
      return undefined;
    },
    'doc-sync/verify': ({ sh }) => {
      expect(sh('git diff --stat').printed).toMatch(/README\.md[\s\S]*format\.md[\s\S]*2 files changed/);
      expect(sh('grep -rn -e "--json" -e "1.5h" -e "skipped" README.md docs AGENTS.md').status).toBe(1);
      return undefined;
    },
  });
  await followed.follow(['run', 'doc-sync', '--attended'], { forgetsAfter: 3 });
  expect(await followed.goOn()).toMatch(/is completed/);
  followed.expectAsShown();
});
