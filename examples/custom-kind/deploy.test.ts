// The step kind `deploy` follows the rules for step kinds: `npx vitest run examples/custom-kind`.

import { describeStepKind } from '../../src/proof/suites/index.ts';
import { deploy } from './deploy.ts';

describeStepKind(deploy, {
  settles: { config: { to: 'staging', version: '1' }, outcome: 'ok' },
  refuses: { config: { to: 'staging' } },
});
