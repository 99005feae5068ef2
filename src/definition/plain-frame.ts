// Owns the default frame of a step: the one place with the defaults of its fields.

import type { StepFrame } from './model.ts';

/** The frame of a step that sets no fields, with its id as its title. */
export function plainFrame(id: string, recovery: StepFrame['recovery']): StepFrame {
  return {
    id,
    title: id,
    actions: [],
    args: {},
    preconditions: [],
    postconditions: [],
    next: {},
    retry: { max: 0, on: ['error'] },
    contractRetries: 1,
    recovery,
    slots: [],
  };
}
