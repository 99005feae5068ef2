// Gives every property test the same seed, so that the gate passes or fails the same way each time. `PROPERTY_SEED=7` tries
// another one, and `PROPERTY_RUNS=5000` more cases of each.

import fc from 'fast-check';

const { PROPERTY_SEED, PROPERTY_RUNS } = process.env;
fc.configureGlobal({ seed: Number(PROPERTY_SEED ?? 1), ...(PROPERTY_RUNS === undefined ? {} : { numRuns: Number(PROPERTY_RUNS) }) });
