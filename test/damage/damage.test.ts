// The quick part of the damage matrix; `test/proof/damage.test.ts` has all of it.

import { describeDamage } from './matrix.ts';

describeDamage({ flips: 12, pages: 8 });
