// The whole damage matrix: hundreds of bits and every page of every file of a store that was killed.

import { describeDamage } from '../damage/matrix.ts';

describeDamage({ flips: 400, pages: 1000 });
